import { flagOf } from '../../config.ts'
import { type Command, UsageError } from '../command.ts'
import { settingsOf } from '../help.ts'

/** What can stand next, and behind which words. */
interface Place {
  /** The words before it; none at the beginning. */
  readonly after: string
  readonly candidates: readonly (readonly [word: string, description: string])[]
  /** Whether a file can stand there as well. */
  readonly takesFile: boolean
}

/** Every place in a call at which something can be completed, the longest first. */
function placesOf(commands: readonly Command[]): Place[] {
  const places = new Map<string, Map<string, string>>()
  const add = (after: string, word: string, description: string) => {
    const known = places.get(after) ?? new Map<string, string>()
    places.set(after, known)
    // Where several commands begin with one word, none of them describes it.
    known.set(word, known.has(word) ? '' : description)
  }
  for (const command of commands) {
    const words = command.name.split(' ')
    for (const [i, word] of words.entries())
      add(words.slice(0, i).join(' '), word, i === words.length - 1 ? command.summary : '')
    for (const choice of command.choices?.[0]?.() ?? []) add(command.name, choice, '')
    for (const [name, { description, choices }] of Object.entries(command.options ?? {})) {
      add(command.name, `--${name}`, description)
      for (const choice of choices?.() ?? []) add(`${command.name} --${name}`, choice, '')
    }
    for (const { variable, description } of settingsOf(command)) add(command.name, `--${flagOf(variable)}`, description)
    add(command.name, '--json', 'Print JSON')
    add(command.name, '--help', 'Show what it takes, with examples')
  }
  const takesFile = (after: string) =>
    commands.some(({ name, arguments: [first] = [] }) => name === after && first?.includes('file'))
  return [...places]
    .map(([after, candidates]) => ({ after, candidates: [...candidates], takesFile: takesFile(after) === true }))
    .sort((a, b) => b.after.length - a.after.length)
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** How a line begins there; where the value of a flag is to come, it also ends with the flag. */
function pattern(after: string): string {
  if (after === '') return '*'
  const [command, flag] = after.split(' --')
  return flag === undefined ? `" ${command} "*` : `" ${command} "*"--${flag} "`
}

function bash(places: readonly Place[]): string {
  const cases = places.map(({ after, candidates }) => {
    const words = candidates.map(([word]) => word).join(' ')
    return `    ${pattern(after)}) words=${quoted(words)} ;;`
  })
  return `# quittance completion bash > ~/.local/share/bash-completion/completions/quittance
_quittance() {
  local line=" \${COMP_WORDS[*]:1:COMP_CWORD-1} " words=''
  case "$line" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _quittance quittance
`
}

function zsh(places: readonly Place[]): string {
  const cases = places.map(({ after, candidates }) => {
    const words = candidates.map(([word, description]) =>
      quoted(`${word.replaceAll(':', '\\:')}${description === '' ? '' : `:${description}`}`),
    )
    return `    ${pattern(after)}) candidates=(${words.join(' ')}) ;;`
  })
  return `#compdef quittance
# quittance completion zsh > a file _quittance in a folder of $fpath
_quittance() {
  local -a candidates
  local line=" \${words[2,CURRENT-1]} "
  case "$line" in
${cases.join('\n')}
  esac
  _describe 'quittance' candidates || _files
}
compdef _quittance quittance
`
}

function fish(places: readonly Place[]): string {
  const commandPlaces = places.map((place) => place.after)
  const isCommandWord = (after: string, word: string) => after !== '' && commandPlaces.includes(`${after} ${word}`)
  const lines = places.flatMap(({ after, candidates, takesFile }) =>
    candidates.map(([word, description]) => {
      const what = word.startsWith('--') ? `-l ${word.slice(2)}` : `-a ${quoted(word)}`
      // Fish offers files beside what it is told, which only makes sense where a file can stand.
      const files = word.startsWith('--') || takesFile ? '' : ' -f'
      return `complete -c quittance -n ${quoted(`__quittance_after ${quoted(after)}${isCommandWord(after, word) ? ' next' : ''}`)}${files} ${what}${description === '' ? '' : ` -d ${quoted(description)}`}`
    }),
  )
  return `# quittance completion fish > ~/.config/fish/completions/quittance.fish
function __quittance_after
  set -l words (commandline -opc)
  set -l line " $words[2..-1] "
  switch "$argv[1]"
    case ''
      test "$line" = '  '
    case '* --*'
      set -l parts (string split ' --' -- $argv[1])
      string match -q -- " $parts[1] *--$parts[2] " "$line"
    case '*'
      # A word of a command comes right behind the one before; flags and arguments come anywhere later.
      set -q argv[2]; and string match -q -- " $argv[1] " "$line"; or begin; not set -q argv[2]; and string match -q -- " $argv[1] *" "$line"; end
  end
end
${lines.join('\n')}
`
}

const shells = { bash, zsh, fish }

/** Prints what makes a shell complete commands, flags and their values. */
export const completionCommand = (commands: () => readonly Command[]): Command => ({
  kind: 'free',
  name: 'completion',
  summary: 'Print a script that makes a shell complete commands, flags and values',
  arguments: ['bash, zsh or fish'],
  choices: [() => Object.keys(shells)],
  examples: [
    ['completion bash > ~/.local/share/bash-completion/completions/quittance', 'for bash'],
    ['completion zsh > ~/.zfunc/_quittance', 'for zsh, with ~/.zfunc in $fpath'],
    ['completion fish > ~/.config/fish/completions/quittance.fish', 'for fish'],
  ],
  async run({ arguments: [shell = ''], output }) {
    if (!Object.hasOwn(shells, shell)) throw new UsageError('Completion is available for bash, zsh and fish.')
    output.out(shells[shell as keyof typeof shells](placesOf(commands())))
  },
})

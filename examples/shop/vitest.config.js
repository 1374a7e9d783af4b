// The first sandbox on a machine makes a server and a template, which takes longer than a test usually may.
export default { test: { include: ['*.vitest.test.js'], hookTimeout: 60_000, testTimeout: 30_000 } }

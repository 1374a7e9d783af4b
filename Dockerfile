# Compiles the service.
FROM node:24-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN node build.mjs

# What it needs to run, and nothing it was made with.
FROM node:24-bookworm-slim AS modules
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund

FROM node:24-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 QUITTANCE_DATA_DIR=/data STOP_WITH_PARENT=false
WORKDIR /app
COPY --from=modules /app/node_modules ./node_modules
COPY --from=build /build/dist ./dist
COPY package.json openapi.json invariants.sql LICENSE ./
COPY migrations ./migrations
COPY scenarios ./scenarios
# The account `node` of the base image.
RUN install -d -o 1000 -g 1000 /data
USER node
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s CMD node -e "fetch('http://127.0.0.1:' + (process.env.STATUS_PORT || process.env.PORT) + '/readyz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"
ENTRYPOINT ["node", "--disable-proto=delete", "dist/main.js"]
CMD ["start"]

# The gateway on a server of one's own (docs/self-host.md):
#   docker build -t skill-gateway .
FROM node:22-bookworm-slim AS build
WORKDIR /app
COPY . .
RUN npm ci && npm run build -- --serve

FROM node:22-bookworm-slim
# workerd needs the certificates of public authorities.
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates && rm -rf /var/lib/apt/lists/* \
  && install -d -o node -g node -m 700 /state
COPY --from=build /app /app
WORKDIR /app
USER node
VOLUME /state
EXPOSE 8787
HEALTHCHECK --interval=10s --start-period=60s --timeout=5s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8787/health/live').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "scripts/serve.mjs", "--state", "/state", "--host", "0.0.0.0"]

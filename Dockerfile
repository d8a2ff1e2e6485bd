# The command in an image with nothing else: Node, the libraries that Node needs, and the package with its clients.
# docs/17-installing.md#image
#
#     docker build --tag rxtract .
#     docker run --rm --read-only --tmpfs /tmp --volume "$PWD/data:/data" rxtract

ARG NODE=24-bookworm-slim

# The package, as npm gets it.
FROM node:${NODE} AS package
WORKDIR /source
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN mkdir /package && npm pack --silent --pack-destination /package

# The package as it is installed, with clients of databases and queues. That of DuckDB has 75 MB:
# --build-arg DUCKDB=@duckdb/node-api
FROM node:${NODE} AS installed
ARG CLIENTS="@nats-io/transport-node@^3.3.1 @opentelemetry/api@^1.9.1 @opentelemetry/exporter-metrics-otlp-http@^0.223.0 @opentelemetry/exporter-trace-otlp-http@^0.223.0 @opentelemetry/resources@^2.12.0 @opentelemetry/sdk-trace-base@^2.12.0 @platformatic/kafka@^1.35.0 @redis/client@^6.3.1 amqplib@^2.3.1 pg@^8.23.1 prom-client@^15.1.3 ssh2@^1.17.0"
ARG DUCKDB=""
WORKDIR /rxtract
COPY --from=package /package/ /package/
# Each client is a word of its own, with its version in it.
# hadolint ignore=DL3016,SC2086
RUN npm install --ignore-scripts --omit=dev --no-audit --no-fund /package/*.tgz $CLIENTS $DUCKDB

# What Node needs of the system, a user without rights, and the folders of a run.
FROM node:${NODE} AS system
WORKDIR /image
RUN mkdir -p usr/local/bin etc data \
  && mkdir -m 1777 tmp \
  && chown 65532:65532 data \
  && cp /usr/local/bin/node usr/local/bin/ \
  && ldd /usr/local/bin/node > /needed \
  && grep -o '/lib[^ ]*' /needed > /libraries \
  && xargs --arg-file=/libraries cp --dereference --parents --target-directory=. \
  && cp --parents /usr/local/LICENSE . \
  && cp --parents /usr/share/doc/libc6/copyright /usr/share/doc/libgcc-s1/copyright /usr/share/doc/libstdc++6/copyright . \
  && echo 'rxtract:x:65532:65532::/tmp:/sbin/nologin' > etc/passwd \
  && echo 'rxtract:x:65532:' > etc/group \
  && echo 'hosts: files dns' > etc/nsswitch.conf

FROM scratch
COPY --from=system /image/ /
COPY --from=installed /rxtract/ /rxtract/
ENV NODE_ENV=production KBC_DATADIR=/data
USER 65532:65532
WORKDIR /data
# A run stops at a page that it can resume from.
STOPSIGNAL SIGTERM
ENTRYPOINT ["/usr/local/bin/node", "/rxtract/node_modules/rxtract/dist/src/cli/main.js"]
CMD ["run"]

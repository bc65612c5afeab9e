# The whole service of `make run` in a container (docs/local.md#in-a-container).
ARG PYTHON_IMAGE=python:3.13-slim
FROM $PYTHON_IMAGE
RUN apt-get update && apt-get install -y --no-install-recommends make && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home tollgate && mkdir /tollgate && chown tollgate /tollgate
WORKDIR /tollgate
USER tollgate
COPY --chown=tollgate . .
RUN make .venv/.ready .local/ministack/.ready && rm -rf ~/.cache
# Within the container only; whoever starts it decides to which addresses its port is published
ENV TOLLGATE_LISTEN=0.0.0.0 PYTHONPATH=functions:shared:.
EXPOSE 8080
# What Ctrl-C sends: the service then stops its processes in order
STOPSIGNAL SIGINT
CMD [".venv/bin/python", "-m", "local", "run", "--port", "8080"]

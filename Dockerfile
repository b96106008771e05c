# Warpwright in a container, for amd64 and arm64 (docs/hosts.md):
#   docker build -t warpwright .                                          # for this machine
#   docker buildx build --platform linux/amd64,linux/arm64 -t warpwright .   # for both, made on an amd64 machine
#   docker run --rm -it -v "$PWD:/work" warpwright lab matmul --size 256

# What is built is built by the machine's own compiler, for arm64 on amd64 by a cross compiler: nothing is emulated.
FROM --platform=$BUILDPLATFORM debian:12 AS build
ARG TARGETARCH
WORKDIR /source
# The packages, which change seldom, before the sources.
COPY setup ./
COPY tools/arm64-system tools/container-build tools/
RUN tools/container-build packages "$TARGETARCH"
COPY . .
# Behind the packages, so that another number does not fetch them again.
ARG JOBS
RUN --mount=type=cache,target=/root/.cache/ccache tools/container-build program "$TARGETARCH" /opt/warpwright "$JOBS"

FROM debian:12
# CUDA C++ is compiled by clang, whose headers of C++ are GCC's.
RUN apt-get update \
    && apt-get install -y --no-install-recommends clang-19 libclc-19 libclc-19-dev libstdc++-12-dev libgomp1 \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /opt/warpwright /opt/warpwright
# Tables are drawn in UTF-8, as terminals show it.
ENV PATH=/opt/warpwright/bin:$PATH LANG=C.UTF-8
# Nobody needs to be root to run kernels here.
RUN useradd --create-home --uid 1000 learner && mkdir /work && chown learner /work
USER learner
WORKDIR /work
ENTRYPOINT ["warpwright"]
CMD ["--help"]

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A Slurm job that starts a node on each of its hosts and trains from the first:
#
#   sbatch --nodes=4 config/slurm_nodes.sh config/gpt_licenses.toml --steps 200
#
# The folder that it is submitted from, and the program, are on a file system
# that all hosts share. What follows the run file goes to `train`.
#SBATCH --job-name=actorpipe
#SBATCH --ntasks-per-node=1
set -euo pipefail

program=${ACTORPIPE:-actorpipe}
port=${ACTORPIPE_PORT:-7070}
make_certificates=${ACTORPIPE_MAKE_CERTIFICATES:-scripts/make_certificates}

if (($# == 0)); then
  echo "usage: sbatch --nodes=N config/slurm_nodes.sh CONFIG [train options]" >&2
  exit 2
fi

# One certificate for all processes of this job, gone with it.
umask 077
folder=$(mktemp -d "$PWD/certificates-XXXXXX")
nodes_pid=
finish() {
  if [[ -n $nodes_pid ]]; then
    kill "$nodes_pid" 2>/dev/null || true
    wait "$nodes_pid" || true
  fi
  rm -rf "$folder"
}
trap finish EXIT
"$make_certificates" "$folder" job
tls=(--tls-cert "$folder/job.pem" --tls-key "$folder/job-key.pem"
  --tls-ca "$folder/authority.pem")

# A node that is lost does not take the others with it.
srun --kill-on-bad-exit=0 "$program" node --listen "0.0.0.0:$port" \
  "${tls[@]}" &
nodes_pid=$!

mapfile -t hosts < <(scontrol show hostnames "$SLURM_JOB_NODELIST")
list=$(printf "%s:$port," "${hosts[@]}")

# Stages wait for their nodes (cluster.wait_s).
"$program" train "$1" --nodes "${list%,}" "${tls[@]}" \
  --stages "${#hosts[@]}" "${@:2}"

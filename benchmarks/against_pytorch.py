#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Compares our training step with eager PyTorch's, step by step in turn.

    benchmarks/against_pytorch.py GPT_STEPS [ROUNDS]

GPT_STEPS is the program that trains ours. PyTorch runs on one thread; where
the environment tells OpenBLAS which kernels to use, it runs a second time with
the kernels that OpenBLAS chooses for this processor.
"""

import os
import pathlib
import statistics
import subprocess
import sys

REQUIRED = 1.05
HERE = pathlib.Path(__file__).resolve().parent
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
STEERS_OPENBLAS = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")


class Trainer:
    """A program that trains one step for every line that it is sent."""

    def __init__(self, command, environment):
        self.process = subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.description = self.answer()
        self.seconds = []

    def answer(self):
        line = self.process.stdout.readline().strip()
        if not line:
            sys.exit(f"{self.process.args} ended early")
        return line

    def step(self):
        self.process.stdin.write("step\n")
        self.process.stdin.flush()
        seconds, loss = map(float, self.answer().split())
        return seconds, loss

    def end(self):
        self.process.stdin.close()
        if self.process.wait() != 0:
            sys.exit(f"{self.process.args} failed")


def parameters_of(trainer):
    return int(trainer.description.split()[-2])


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    rounds = int(sys.argv[2]) if len(sys.argv) == 3 else 15
    given = {**os.environ, **ONE_THREAD}
    theirs = [sys.executable, str(HERE / "pytorch_gpt.py")]
    trainers = {"": Trainer([sys.argv[1]], dict(os.environ))}
    if any(name in given for name in STEERS_OPENBLAS):
        trainers["PyTorch, kernels as in the environment"] = Trainer(
            theirs, given
        )
    chosen = {k: v for k, v in given.items() if k not in STEERS_OPENBLAS}
    trainers["PyTorch, OpenBLAS's own kernels"] = Trainer(theirs, chosen)
    ours = trainers.pop("")
    for name, trainer in trainers.items():
        print(f"  {name}: {trainer.description}", file=sys.stderr)
        if parameters_of(trainer) != parameters_of(ours):
            sys.exit("the models differ in their numbers of parameters")

    everyone = [ours, *trainers.values()]
    for trainer in everyone:
        trainer.step()
    for _ in range(rounds):
        for trainer in everyone:
            trainer.seconds.append(trainer.step()[0])
    for trainer in everyone:
        trainer.end()

    passed = True
    mine = statistics.median(ours.seconds)
    for name, trainer in trainers.items():
        other = statistics.median(trainer.seconds)
        print(f"  ours {mine:.3f} s, {name} {other:.3f} s", file=sys.stderr)
        verdict = other / mine >= REQUIRED
        passed = passed and verdict
        print(
            f"GPT training step against {name}",
            f"{other / mine:.2f}x",
            f">= {REQUIRED:.2f}x",
            "met" if verdict else "missed",
            sep="\t",
            flush=True,
        )
    sys.exit(0 if passed else 1)


if __name__ == "__main__":
    main()

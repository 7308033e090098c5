#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The same language model in eager PyTorch, on one thread.

Trains one step for every line of its input and answers with the seconds that
it took and the loss. Before that it prints one line: what computes, and the
number of parameters. At the end it fails if it has used more than one core.

    OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 benchmarks/pytorch_gpt.py
"""

import ctypes
import math
import sys
import time

import torch
import torch.nn.functional as F
from torch import nn

WIDTH, DEPTH, HEADS, SEQUENCE, VOCABULARY = 256, 8, 4, 128, 256
SAMPLES, MICRO_BATCHES = 32, 8
MOST_CPU_PER_WALL = 1.05


class Attention(nn.Module):
    """Causal self-attention over packed queries, keys and values."""

    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.output = nn.Linear(WIDTH, WIDTH)
        unseen = torch.ones(SEQUENCE, SEQUENCE, dtype=torch.bool).triu(1)
        mask = torch.zeros(SEQUENCE, SEQUENCE).masked_fill(unseen, -math.inf)
        self.register_buffer("unseen", unseen)
        self.register_buffer("mask", mask)

    def forward(self, x):
        samples, sequence, _ = x.shape
        size = WIDTH // HEADS
        qkv = self.qkv(x).view(samples, sequence, 3, HEADS, size)
        q, k, v = qkv.permute(2, 0, 3, 1, 4).unbind(0)  # [B, H, T, C/H]
        y = MIX[CHOICE](q, k, v, self)
        return self.output(y.transpose(1, 2).reshape(samples, sequence, WIDTH))


def mix_plain(q, k, v, layer):
    """As it is written in most models."""
    scores = (q @ k.transpose(-2, -1)) * (1 / math.sqrt(q.shape[-1]))
    scores = scores.masked_fill(layer.unseen, -math.inf)
    return scores.softmax(-1) @ v


def mix_fused(q, k, v, layer):
    """Scale and mask are part of the product."""
    batches = (q.shape[0] * HEADS, SEQUENCE, q.shape[-1])
    scores = torch.baddbmm(
        layer.mask,
        q.reshape(batches),
        k.reshape(batches).transpose(1, 2),
        alpha=1 / math.sqrt(q.shape[-1]),
    )
    return torch.bmm(scores.softmax(-1), v.reshape(batches)).view(q.shape)


def mix_library(q, k, v, layer):
    """The library's own composition of the same steps."""
    return F._scaled_dot_product_attention(q, k, v, layer.mask)[0]


MIX = {"plain": mix_plain, "fused": mix_fused, "library": mix_library}
CHOICE = "plain"


class Block(nn.Module):
    """Attention, then a feed-forward part, each after a norm."""

    def __init__(self):
        super().__init__()
        self.attention_norm = nn.LayerNorm(WIDTH)
        self.attention = Attention()
        self.mlp_norm = nn.LayerNorm(WIDTH)
        self.up = nn.Linear(WIDTH, 4 * WIDTH)
        self.down = nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        x = x + self.attention(self.attention_norm(x))
        hidden = F.gelu(self.up(self.mlp_norm(x)), approximate="tanh")
        return x + self.down(hidden)


class Gpt(nn.Module):
    """A decoder-only Transformer."""

    def __init__(self):
        super().__init__()
        self.tokens = nn.Embedding(VOCABULARY, WIDTH)
        self.positions = nn.Parameter(torch.zeros(SEQUENCE, WIDTH))
        self.blocks = nn.Sequential(*[Block() for _ in range(DEPTH)])
        self.norm = nn.LayerNorm(WIDTH)
        self.head = nn.Linear(WIDTH, VOCABULARY, bias=False)
        for parameter in self.parameters():
            if parameter.dim() > 1:
                nn.init.normal_(parameter, std=0.02)

    def forward(self, tokens):
        x = self.tokens(tokens) + self.positions
        return self.head(self.norm(self.blocks(x)))


def make_batch():
    index = torch.arange(SAMPLES * SEQUENCE)
    tokens = (index * 7 % VOCABULARY).view(SAMPLES, SEQUENCE)
    targets = ((index + 1) * 7 % VOCABULARY).view(SAMPLES, SEQUENCE)
    return tokens, targets


def train_step(model, optimizer, tokens, targets):
    """One mini-batch with gradients accumulated over its micro-batches."""
    optimizer.zero_grad(set_to_none=True)
    total = 0.0
    parts = zip(tokens.chunk(MICRO_BATCHES), targets.chunk(MICRO_BATCHES))
    for part_tokens, part_targets in parts:
        logits = model(part_tokens)
        loss = F.cross_entropy(
            logits.view(-1, VOCABULARY), part_targets.view(-1), reduction="sum"
        ) / targets.numel()
        loss.backward()
        total += loss.item()
    optimizer.step()
    return total


def blas_in_use():
    """Name and kernels of the library that has been loaded."""
    with open("/proc/self/maps", encoding="ascii") as maps:
        paths = sorted({line.split()[-1] for line in maps if "blas" in line})
    for path in paths:
        try:
            describe = ctypes.CDLL(path).openblas_get_config
        except AttributeError:
            continue
        describe.restype = ctypes.c_char_p
        return f"{describe().decode()} ({path})"
    return ", ".join(paths) or "none"


def choose_attention(model, optimizer, tokens, targets):
    """Sets the fastest of the three ways, after a step of each to warm up."""
    global CHOICE
    seconds = {name: [] for name in MIX}
    for _ in range(2):
        for CHOICE in MIX:
            start = time.process_time()
            train_step(model, optimizer, tokens, targets)
            seconds[CHOICE].append(time.process_time() - start)
    CHOICE = min(MIX, key=lambda name: min(seconds[name][1:]))


def main():
    torch.set_num_threads(1)
    torch.manual_seed(1)
    model = Gpt()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3, foreach=True)
    tokens, targets = make_batch()
    choose_attention(model, optimizer, tokens, targets)
    parameters = sum(p.numel() for p in model.parameters())
    print(
        f"PyTorch {torch.__version__}, attention '{CHOICE}', "
        f"{blas_in_use()}, {parameters} parameters",
        flush=True,
    )
    wall = cpu = 0.0
    for _ in sys.stdin:
        start, start_cpu = time.perf_counter(), time.process_time()
        loss = train_step(model, optimizer, tokens, targets)
        seconds = time.perf_counter() - start
        wall += seconds
        cpu += time.process_time() - start_cpu
        print(seconds, loss, flush=True)
    assert cpu <= MOST_CPU_PER_WALL * wall, (
        f"PyTorch used {cpu:.2f} s of processors in {wall:.2f} s: "
        "it is not held to one thread"
    )


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""Writes what PyTorch computes for a small Transformer and for optimisers.

Parameters and data come from a formula that the tests compute too, so only
results are stored. Run: OMP_NUM_THREADS=1 /usr/bin/python3 make_reference.py
"""
import json
import math
import pathlib

import torch
import torch.nn.functional as F

# The legend of letters: V vocabulary, T sequence, C width, H heads, B batch.
V, T, C, DEPTH, H, B = 13, 8, 16, 2, 4, 5
DOUBLE = torch.float64
HERE = pathlib.Path(__file__).parent


def pattern(name, count):
    """Numbers in [-0.5, 0.5) that depend on (name, index) alone."""
    start = sum((k + 1) * ord(letter) for k, letter in enumerate(name))
    return [((start + 7919 * i) % 1009) / 1009 - 0.5 for i in range(count)]


def tensor_of(name, extents, scale, offset=0.0):
    values = torch.tensor(pattern(name, math.prod(extents)), dtype=DOUBLE)
    # Rounded to what a 32-bit float holds, as the tests start from that.
    values = (values * scale + offset).to(torch.float32).to(DOUBLE)
    return values.reshape(extents)


def parameters(tied):
    shapes = [
        ("embedding.tokens.weight", (V, C)),
        ("embedding.positions.weight", (T, C)),
    ]
    for b in range(DEPTH):
        block = f"block{b}."
        shapes += [
            (block + "attention_norm.weight", (C,)),
            (block + "attention_norm.bias", (C,)),
            (block + "attention.qkv.weight", (3 * C, C)),
            (block + "attention.output.weight", (C, C)),
            (block + "attention.qkv.bias", (3 * C,)),
            (block + "attention.output.bias", (C,)),
            (block + "mlp_norm.weight", (C,)),
            (block + "mlp_norm.bias", (C,)),
            (block + "mlp.up.weight", (4 * C, C)),
            (block + "mlp.up.bias", (4 * C,)),
            (block + "mlp.down.weight", (C, 4 * C)),
            (block + "mlp.down.bias", (C,)),
        ]
    shapes += [("norm.weight", (C,)), ("norm.bias", (C,))]
    if not tied:
        shapes.append(("head.weight", (V, C)))
    result = {}
    for name, extents in shapes:
        is_gain = name.endswith("norm.weight")
        result[name] = tensor_of(name, extents, 0.6, 1.0 if is_gain else 0.0)
        result[name].requires_grad_()
    return result


def data():
    tokens = torch.tensor([(5 * i + 3 * i * i + 2) % V for i in range(B * T)])
    targets = torch.tensor([(7 * i + i * i + 1) % V for i in range(B * T)])
    # Not every target counts, and not equally many in every sample.
    for i in range(0, B * T, 7):
        targets[i] = -1
    targets[3 * T : 3 * T + 5] = -1
    return tokens.reshape(B, T), targets.reshape(B, T)


def norm(x, p, name):
    return F.layer_norm(x, (C,), p[name + ".weight"], p[name + ".bias"], 1e-5)


def attention(x, p, name):
    qkv = F.linear(x, p[name + ".qkv.weight"], p[name + ".qkv.bias"])
    q, k, v = (
        part.reshape(B, T, H, C // H).transpose(1, 2)
        for part in qkv.split(C, dim=2)
    )
    scores = q @ k.transpose(2, 3) / math.sqrt(C // H)
    future = torch.ones(T, T, dtype=torch.bool).triu(1)
    mixed = scores.masked_fill(future, -math.inf).softmax(-1) @ v
    mixed = mixed.transpose(1, 2).reshape(B, T, C)
    return F.linear(mixed, p[name + ".output.weight"], p[name + ".output.bias"])


def mlp(x, p, name):
    up = F.linear(x, p[name + ".up.weight"], p[name + ".up.bias"])
    up = F.gelu(up, approximate="tanh")
    return F.linear(up, p[name + ".down.weight"], p[name + ".down.bias"])


def logits_of(tokens, p):
    x = F.embedding(tokens, p["embedding.tokens.weight"])
    x = x + p["embedding.positions.weight"][:T]
    for b in range(DEPTH):
        x = x + attention(norm(x, p, f"block{b}.attention_norm"), p,
                          f"block{b}.attention")
        x = x + mlp(norm(x, p, f"block{b}.mlp_norm"), p, f"block{b}.mlp")
    head = p.get("head.weight", p["embedding.tokens.weight"])
    return F.linear(norm(x, p, "norm"), head)


def loss_of(logits, targets):
    return F.cross_entropy(logits.reshape(-1, V), targets.reshape(-1),
                           ignore_index=-1)


def numbers(x):
    return [float(f"{value:.8g}") for value in x.detach().reshape(-1).tolist()]


def one_pass(tied):
    p = parameters(tied)
    tokens, targets = data()
    logits = logits_of(tokens, p)
    loss = loss_of(logits, targets)
    loss.backward()
    # Of a tied model, only the shared table's gradient is of interest.
    kept = ["embedding.tokens.weight"] if tied else list(p)
    return {
        "loss": loss.item(),
        "logits": numbers(logits),
        "gradients": {name: numbers(p[name].grad) for name in kept},
    }


def training(make, max_norm, tied):
    p = parameters(tied)
    matrices = [x for x in p.values() if x.dim() == 2]
    others = [x for x in p.values() if x.dim() != 2]
    optimizer = make([{"params": matrices},
                      {"params": others, "weight_decay": 0.0}])
    tokens, targets = data()
    losses, norms = [], []
    for _ in range(10):
        optimizer.zero_grad()
        loss = loss_of(logits_of(tokens, p), targets)
        loss.backward()
        length = torch.nn.utils.clip_grad_norm_(list(p.values()), max_norm)
        optimizer.step()
        losses.append(loss.item())
        norms.append(length.item())
    return {"losses": losses, "norms": norms}


def optimizer_case(make):
    w = tensor_of("w", (6,), 2.0).requires_grad_()
    optimizer = make([w])
    for step in range(5):
        w.grad = tensor_of(f"gradient{step}", (6,), 3.0)
        optimizer.step()
    return numbers(w)


def optimizers():
    sgd, adam = torch.optim.SGD, torch.optim.Adam
    rmsprop, adamw = torch.optim.RMSprop, torch.optim.AdamW
    cases = {
        "sgd": lambda ps: sgd(ps, 0.1),
        "sgd_decay": lambda ps: sgd(ps, 0.1, weight_decay=0.3),
        "sgd_momentum": lambda ps: sgd(ps, 0.1, 0.9, weight_decay=0.3),
        "sgd_nesterov": lambda ps: sgd(ps, 0.1, 0.9, nesterov=True),
        "rmsprop": lambda ps: rmsprop(ps, 0.1, 0.9, 1e-6, weight_decay=0.3),
        "adam": lambda ps: adam(ps, 0.1, (0.8, 0.95), 1e-6, weight_decay=0.3),
        "adamw": lambda ps: adamw(ps, 0.1, (0.8, 0.95), 1e-6,
                                  weight_decay=0.3),
    }
    return {name: optimizer_case(make) for name, make in cases.items()}


def write(name, value):
    text = json.dumps(value, separators=(",", ":"))
    (HERE / name).write_text(text + "\n")


def main():
    write("optimizers.json", optimizers())
    write("transformer.json", one_pass(tied=False))
    write("transformer_tied.json", one_pass(tied=True))
    write("training.json", {
        "sgd": training(
            lambda ps: torch.optim.SGD(ps, 0.1, 0.9, weight_decay=0.01),
            1.0, False),
        "adamw": training(
            lambda ps: torch.optim.AdamW(ps, 0.01, weight_decay=0.1),
            0.5, False),
        "adamw_tied": training(
            lambda ps: torch.optim.AdamW(ps, 0.01, weight_decay=0.1),
            0.5, True),
    })


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Trains the network that tells pieces, in 8-bit weights, and writes its card beside it."""

import argparse
import datetime
import json
import struct
from pathlib import Path

import numpy as np

import drawings
import figures

ROOT = Path(__file__).resolve().parent.parent.parent
INPUTS, HIDDEN = 512, 64
BATCH, RATE, DECAY = 128, 2e-3, 1e-4
# Shares of inputs and hidden cells that are left out at each step.
DROPPED_INPUTS, DROPPED_HIDDEN = 0.05, 0.1

# Of this project's own pieces there are so many times as many pictures: `plyscope render` draws them.
OWN_FACTOR = 16


def examples(pieces, count, rng):
    squares, bare, roles = [], [], []
    for name, drawing in pieces.items():
        for _ in range(count):
            cells, ground = figures.square(drawing, rng)
            squares.append(cells)
            bare.append(ground)
            roles.append(drawings.ROLES.index(name[1]))
    return figures.inputs(np.array(squares), np.array(bare)), np.array(roles)


def log_softmax(outputs):
    outputs = outputs - outputs.max(1, keepdims=True)
    return outputs - np.log(np.exp(outputs).sum(1, keepdims=True))


def train(inputs, roles, epochs, rng):
    """Log-loss, by Adam with weight decay and a rate that falls to nothing."""
    shapes = [((INPUTS, HIDDEN), 1 / 16), ((HIDDEN,), 0), ((HIDDEN, 6), 0.2), ((6,), 0)]
    weights = [rng.normal(0, spread, shape).astype(np.float32) for shape, spread in shapes]
    first, second = [np.zeros_like(w) for w in weights], [np.zeros_like(w) for w in weights]
    steps, step = epochs * (len(inputs) // BATCH), 0
    for _ in range(epochs):
        order = rng.permutation(len(inputs))
        for start in range(0, len(inputs) - BATCH + 1, BATCH):
            step += 1
            picked = order[start:start + BATCH]
            x = inputs[picked].astype(np.float32) / 127
            x *= rng.random(x.shape, dtype=np.float32) > DROPPED_INPUTS
            hidden = np.maximum(x @ weights[0] + weights[1], 0)
            kept = (rng.random(hidden.shape, dtype=np.float32) > DROPPED_HIDDEN) / np.float32(1 - DROPPED_HIDDEN)
            slope = np.exp(log_softmax((hidden * kept) @ weights[2] + weights[3]))
            slope[np.arange(BATCH), roles[picked]] -= 1
            slope /= BATCH
            behind = (slope @ weights[2].T) * kept * (hidden > 0)
            gradients = [x.T @ behind, behind.sum(0), (hidden * kept).T @ slope, slope.sum(0)]
            rate = RATE * (1 - step / (steps + 1))
            for weight, gradient, m, v in zip(weights, gradients, first, second):
                m += 0.1 * (gradient - m)
                v += 0.001 * (gradient * gradient - v)
                weight -= rate * (m / (1 - 0.9**step) / (np.sqrt(v / (1 - 0.999**step)) + 1e-8) + DECAY * weight)
    return weights


def quantised(weights):
    """Weights in 8 bits, biases and factors as host/src/recognise/network.rs reads them."""
    hidden_scale, output_scale = 127 / np.abs(weights[0]).max(), 127 / np.abs(weights[2]).max()
    return [np.round(weights[0] * hidden_scale).astype(np.int8), np.round(weights[1] * 127 * hidden_scale).astype(np.int32),
            np.round(weights[2] * output_scale).astype(np.int8), np.round(weights[3] * 256 * output_scale).astype(np.int32),
            round(65536 * 256 / (127 * hidden_scale)), round(65536 / output_scale)]


def outputs_of(network, inputs):
    """What network.rs computes, before the logarithms."""
    w1, b1, w2, b2, hidden_factor, output_factor = network
    hidden = np.maximum(inputs.astype(np.int64) @ w1.astype(np.int64) + b1, 0) * hidden_factor >> 16
    return ((hidden @ w2.astype(np.int64) + b2) * output_factor >> 16) / 256


def measured(network, inputs, roles):
    logs = log_softmax(outputs_of(network, inputs))
    return {"accuracy": round(float((logs.argmax(1) == roles).mean()), 6),
            "log_loss_nats": round(float(-logs[np.arange(len(roles)), roles].mean()), 6), "examples": len(roles)}


def family(name):
    """The design of a set: the same one may come from two packages."""
    return name.split("/")[-1].lower().replace("_new", "").replace("ttf-", "")


def held_out(data, folds, epochs, seed):
    """Each set by a network that saw no set of its design."""
    families = sorted({family(name) for name in data} - {"own"})
    np.random.default_rng(seed).shuffle(families)
    shares, losses = [], []
    for fold in range(folds):
        out = set(families[fold::folds])
        used = [data[name] for name in data if family(name) not in out]
        inputs, roles = (np.concatenate(part) for part in zip(*used))
        network = quantised(train(inputs, roles, epochs, np.random.default_rng(seed)))
        for name in (name for name in data if family(name) in out):
            result = measured(network, *data[name])
            print(f"held out {name}: {result}", flush=True)
            shares.append(result["accuracy"])
            losses.append(result["log_loss_nats"])
    return {"folds": folds, "sets": len(shares), "accuracy_median": round(float(np.median(shares)), 6),
            "accuracy_mean": round(float(np.mean(shares)), 6), "log_loss_nats_mean": round(float(np.mean(losses)), 6)}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=Path, required=True, help="where the packages with sets lie")
    parser.add_argument("--out", type=Path, default=ROOT / "host/src/recognise/roles.bin")
    parser.add_argument("--epochs", type=int, default=25)
    parser.add_argument("--examples", type=int, default=120, help="pictures of each drawing")
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--folds", type=int, default=5, help="0: no check with designs held out")
    options = parser.parse_args()
    sets = drawings.all_sets(ROOT, options.sets)
    rng = np.random.default_rng(options.seed)
    counts = {name: options.examples * (OWN_FACTOR if name == "own" else 1) for name in sets}
    data = {name: examples(pieces, counts[name], rng) for name, pieces in sets.items()}
    print(f"{len(sets)} sets", flush=True)
    check = held_out(data, options.folds, options.epochs, options.seed) if options.folds > 0 else None
    inputs, roles = (np.concatenate(part) for part in zip(*data.values()))
    network = quantised(train(inputs, roles, options.epochs, np.random.default_rng(options.seed)))
    fresh = np.random.default_rng(options.seed + 1)
    new = [examples(pieces, max(1, options.examples // 10), fresh) for pieces in sets.values()]
    own_new = examples(sets["own"], options.examples, fresh)
    w1, b1, w2, b2, hidden_factor, output_factor = network
    parts = [w1.T.copy(), b1.astype("<i4"), w2.T.copy(), b2.astype("<i4")]
    written = b"".join(part.tobytes() for part in parts) + struct.pack("<ii", hidden_factor, output_factor)
    options.out.write_bytes(written)
    card = {
        "network": options.out.name, "file_bytes": len(written), "date": datetime.date.today().isoformat(),
        "shape": {"inputs": INPUTS, "hidden": HIDDEN, "roles": 6, "weight_bytes": 1},
        "data": {"source": "drawings of this project's own pieces, of the sets and fonts of PyChess (GPL-3.0-or-later) and of eboard "
                           "(GPL-2.0-or-later), on squares drawn at random", "sets": len(sets), "examples": len(roles)},
        "training": {"batch": BATCH, "epochs": options.epochs, "rate": RATE, "weight_decay": DECAY, "seed": options.seed,
                     "dropped_inputs": DROPPED_INPUTS, "dropped_hidden": DROPPED_HIDDEN},
        "loss": {"train_quantised": measured(network, inputs, roles),
                 "new_pictures_quantised": measured(network, *(np.concatenate(part) for part in zip(*new))),
                 "new_pictures_of_own_pieces_quantised": measured(network, *own_new), "designs_held_out_quantised": check},
    }
    options.out.with_suffix(".card.json").write_text(json.dumps(card, indent=2, sort_keys=True) + "\n")
    print(json.dumps(card["loss"], indent=2, sort_keys=True))


if __name__ == "__main__":
    main()

"""Positions of a graph's nodes in the plane, by a force layout.

Every pair of nodes repels as charges in the plane do (1/r), every edge attracts in proportion to its length, and
gravity holds the parts of the graph together. Repulsion and gravity alone fill a disc evenly, so nodes without
edges spread and clusters stand out. The charges lie on a grid whose field is one convolution: a step costs
O(n + grid) instead of O(n²). Small graphs are summed exactly.

Sources: Fruchterman and Reingold (1991), https://doi.org/10.1002/spe.4380211102; the degree in the attraction is
that of ForceAtlas2, https://doi.org/10.1371/journal.pone.0098679; the grid is the particle mesh of Hockney and
Eastwood, "Computer Simulation Using Particles" (1988).
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

Places = NDArray[np.int64]
Points = NDArray[np.float64]

EXACT = 250
"""Up to this many nodes every pair is summed."""
STEPS = 90
SMOOTHING = 30
"""Averages with the neighbours before the first step: the large shape of the graph, which forces find slowly."""
ATTRACTION = 4.0
_CELLS = 128
_MIX = (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)


def layout(seeds: NDArray[np.uint64], sources: Places, targets: Places, weights: Points) -> Points:
    """Return a point for each node, shape (nodes, 2), within the unit circle.

    Args:
        seeds: one number a node, from its id: where it starts. Equal input gives equal points.
        sources, targets: places of the nodes that an edge joins. An edge to itself has no effect.
        weights: strength of each edge, 0 to 1.
    """
    count = len(seeds)
    apart = sources != targets
    ends = sources[apart], targets[apart]
    degree = np.bincount(np.concatenate(ends), minlength=count).astype(np.float64)
    pull = ATTRACTION * weights[apart] / np.sqrt(np.maximum(degree[ends[0]], degree[ends[1]]))
    points = _start(seeds, *ends, degree)
    heat = np.sqrt(count) / 4
    for _ in range(STEPS):
        force = _repulsion(points) - points
        apart_by = points[ends[1]] - points[ends[0]]
        distance = np.hypot(apart_by[:, 0], apart_by[:, 1])
        strength = pull * np.log1p(distance) / np.maximum(distance, 1e-9)
        for axis in (0, 1):
            along = strength * apart_by[:, axis]
            force[:, axis] += np.bincount(ends[0], along, count) - np.bincount(ends[1], along, count)
        length = np.hypot(force[:, 0], force[:, 1])
        points += force * (np.minimum(length, heat) / np.maximum(length, 1e-12) * 0.5)[:, None]
        heat = max(heat * 0.94, 0.02)
    if not count:
        return points
    points -= points.mean(axis=0)
    return points / max(float(np.hypot(points[:, 0], points[:, 1]).max()), 1e-12)


def _start(seeds: NDArray[np.uint64], sources: Places, targets: Places, degree: Points) -> Points:
    """Return points in a disc of the final size, neighbours near one another."""
    count = len(seeds)
    radius, angle = np.sqrt(_uniform(seeds, 0)), 2 * np.pi * _uniform(seeds, 1)
    points = np.stack((radius * np.cos(angle), radius * np.sin(angle)), axis=1)
    linked, drawn = degree > 0, points.copy()
    for _ in range(SMOOTHING):
        for axis in (0, 1):
            near = np.bincount(sources, points[targets, axis], count)
            near += np.bincount(targets, points[sources, axis], count)
            column = points[:, axis]
            column[linked] = (column[linked] + near[linked] / degree[linked]) / 2
    if linked.any():
        # Averages shrink: what is linked is spread over the disc again. Small parts lie far from the mean.
        some = points[linked] - np.median(points[linked], axis=0)
        some /= max(float(some.std()) * 2, 1e-9)
        points[linked] = some / np.maximum(np.hypot(some[:, 0], some[:, 1]), 1)[:, None]
        # Nodes with the same neighbours have met, and nothing would part them.
        points[linked] += drawn[linked] / 50
    points *= np.sqrt(max(count, 1))
    return points


def _uniform(seeds: NDArray[np.uint64], draw: int) -> Points:
    """Return a number in [0, 1) for each seed. SplitMix64, https://doi.org/10.1145/2714064.2660195"""
    mixed = seeds + np.uint64((draw + 1) * _MIX[0] % 2**64)
    for shift, factor in ((30, _MIX[1]), (27, _MIX[2])):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    return (mixed >> np.uint64(11)) / float(2**53)


def _repulsion(points: Points) -> Points:
    """Return the sum of (p - q) / |p - q|² over all other points q, for each point p."""
    if len(points) <= EXACT:
        apart = points[:, None, :] - points[None, :, :]
        square = (apart**2).sum(axis=2) + 1e-4
        found: Points = (apart / square[:, :, None]).sum(axis=1)
        return found
    low = points.min(axis=0)
    cell = float((points.max(axis=0) - low).max()) / (_CELLS - 2) or 1.0
    scaled = (points - low) / cell
    corner = scaled.astype(np.int64)
    part = scaled - corner
    shares = [(corner[:, 0] + x) * _CELLS + corner[:, 1] + y for x in (0, 1) for y in (0, 1)]
    amounts = [
        (part[:, 0] if x else 1 - part[:, 0]) * (part[:, 1] if y else 1 - part[:, 1])
        for x in (0, 1)
        for y in (0, 1)
    ]
    mass = sum(np.bincount(at, some, _CELLS**2) for at, some in zip(shares, amounts, strict=True))
    spectrum = np.fft.rfft2(np.asarray(mass).reshape(_CELLS, _CELLS), s=(2 * _CELLS, 2 * _CELLS))
    force = np.empty_like(points)
    for axis, kernel in enumerate(_kernels()):
        field = np.fft.irfft2(spectrum * kernel, s=(2 * _CELLS, 2 * _CELLS))[:_CELLS, :_CELLS].ravel()
        force[:, axis] = sum(field[at] * some for at, some in zip(shares, amounts, strict=True))
    # The field is that of unit cells, and 1/r scales with them.
    return force / cell


@cache
def _kernels() -> tuple[NDArray[np.complex128], NDArray[np.complex128]]:
    """Return the transforms of x/r² and y/r² on a grid of twice the size, so that its borders do not meet."""
    steps = np.fft.fftfreq(2 * _CELLS, 1 / (2 * _CELLS))
    x, y = np.meshgrid(steps, steps, indexing="ij")
    square = x**2 + y**2 + 0.25
    return np.fft.rfft2(x / square), np.fft.rfft2(y / square)

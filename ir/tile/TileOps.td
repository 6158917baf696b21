#ifndef TILEWRIGHT_TILE_OPS
#define TILEWRIGHT_TILE_OPS

include "ir/tile/TileProgramOps.td"
include "ir/tile/TileMemoryOps.td"
include "ir/tile/TileShapeOps.td"
include "ir/tile/TileComputeOps.td"

#endif

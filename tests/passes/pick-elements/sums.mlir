// RUN: tile-opt %s --pick-elements --canonicalize --split-input-file | FileCheck %s

!view = !tile.view<?x100xbf16>
!row = tensor<1x128xf32>

// A sum that picks the label's column becomes a load of that element, in front of the first
// reduction. The mask of the padded row changes nothing: behind the tensor's columns both give 0.
// CHECK-LABEL: @padded
// CHECK: %[[LABEL:.*]] = tile.load %arg1
// CHECK: %[[ONE:.*]] = tile.load %arg0[%[[I:.*]], %[[LABEL]]] extents [1, -1] {in_bounds = array<i1: true, false>} : <?x100xbf16>, i32, tensor<1xi32> -> tensor<1x1xbf16>
// CHECK: %[[WIDE:.*]] = tile.cast %[[ONE]] : tensor<1x1xbf16> -> tensor<1x1xf32>
// CHECK: tile.reduce max
// CHECK: tile.reduce sum %[[WIDE]], 1 : tensor<1x1xf32> -> tensor<1xf32>
func.func @padded(%x: !view {tile.name = "x"}, %labels: !tile.view<?xi32> {tile.name = "labels"},
                  %y: !tile.view<?xf32> {tile.name = "y"}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %zeros = arith.constant dense<0.0> : !row
  %size = arith.constant dense<100> : tensor<128xi32>
  %m = tile.dim %x, 0 : !view
  tile.grid[%m]
  %i = tile.program_id 0
  %t = tile.load %x[%i, %c0] extents [1, 128] {in_bounds = array<i1: true, false>} : !view, i32, i32 -> tensor<1x128xbf16>
  %label = tile.load %labels[%i] extents [1] : !tile.view<?xi32>, i32 -> tensor<1xi32>
  %z = tile.cast %t : tensor<1x128xbf16> -> !row
  %peak = tile.reduce max %z, 1 : !row -> tensor<1xf32>
  %range = tile.range %c0 : tensor<128xi32>
  %columns = tile.expand_dims %range, 0 : tensor<128xi32> -> tensor<1x128xi32>
  %column = tile.expand_dims %label, 1 : tensor<1xi32> -> tensor<1x1xi32>
  %wanted = tile.broadcast %column : tensor<1x1xi32> -> tensor<1x128xi32>
  %is = arith.cmpi eq, %columns, %wanted : tensor<1x128xi32>
  %only = arith.select %is, %z, %zeros : tensor<1x128xi1>, !row
  %below = arith.cmpi slt, %range, %size : tensor<128xi32>
  %inside = tile.expand_dims %below, 0 : tensor<128xi1> -> tensor<1x128xi1>
  %masked = arith.select %inside, %only, %zeros : tensor<1x128xi1>, !row
  %picked = tile.reduce sum %masked, 1 : !row -> tensor<1xf32>
  %d = arith.subf %picked, %peak : tensor<1xf32>
  tile.store %d, %y[%i] extents [1] : tensor<1xf32>, !tile.view<?xf32>, i32
  return
}

// -----

// A row that is filled with another number than 0 where it ends is picked from too, if the tensor has
// the row; else the fill would be picked.
!view = !tile.view<?x128xf32>
!row = tensor<1x128xf32>

// CHECK-LABEL: @filled
// CHECK: tile.load %arg0{{.*}} extents [1, 128] fill
// CHECK: tile.load %arg0{{.*}} extents [1, -1] {in_bounds = array<i1: true, false>}
// CHECK: tile.load %arg0{{.*}} extents [1, 128] fill
// CHECK-NOT: extents [1, -1]
func.func @filled(%x: !view {tile.name = "x"}, %label: i32 {tile.name = "label"}, %y: !tile.view<?xf32> {tile.name = "y"}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %low = arith.constant 0xFF800000 : f32
  %zeros = arith.constant dense<0.0> : !row
  %m = tile.dim %x, 0 : !view
  tile.grid[%m]
  %i = tile.program_id 0
  %range = tile.range %c0 : tensor<128xi32>
  %columns = tile.expand_dims %range, 0 : tensor<128xi32> -> tensor<1x128xi32>
  %number = tile.splat %label : i32 -> tensor<1xi32>
  %column = tile.expand_dims %number, 1 : tensor<1xi32> -> tensor<1x1xi32>
  %wanted = tile.broadcast %column : tensor<1x1xi32> -> tensor<1x128xi32>
  %is = arith.cmpi eq, %columns, %wanted : tensor<1x128xi32>
  %t = tile.load %x[%i, %c0] extents [1, 128] fill %low : f32 {in_bounds = array<i1: true, false>} : !view, i32, i32 -> !row
  %peak = tile.reduce max %t, 1 : !row -> tensor<1xf32>
  %only = arith.select %is, %t, %zeros : tensor<1x128xi1>, !row
  %picked = tile.reduce sum %only, 1 : !row -> tensor<1xf32>
  %u = tile.load %x[%label, %c0] extents [1, 128] fill %low : f32 : !view, i32, i32 -> !row
  %high = tile.reduce max %u, 1 : !row -> tensor<1xf32>
  %alone = arith.select %is, %u, %zeros : tensor<1x128xi1>, !row
  %second = tile.reduce sum %alone, 1 : !row -> tensor<1xf32>
  %a = arith.subf %picked, %peak : tensor<1xf32>
  %b = arith.subf %second, %high : tensor<1xf32>
  %d = arith.subf %a, %b : tensor<1xf32>
  tile.store %d, %y[%i] extents [1] : tensor<1xf32>, !tile.view<?xf32>, i32
  return
}

// -----

// A part of a row does not have every column, several rows pick several elements, a tensor that is
// written before the number is known may hold another element by then, and a row that is reduced in
// no other way could no longer be shared by blocks.
!view = !tile.view<?x128xf32>
!row = tensor<1x128xf32>

// CHECK-LABEL: @part
// CHECK-NOT: extents [1, -1]
func.func @part(%x: !view {tile.name = "x"}, %label: i32 {tile.name = "label"}, %y: !tile.view<?xf32> {tile.name = "y"}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %zeros = arith.constant dense<0.0> : tensor<1x64xf32>
  %m = tile.dim %x, 0 : !view
  tile.grid[%m]
  %i = tile.program_id 0
  %t = tile.load %x[%i, %c0] extents [1, 64] : !view, i32, i32 -> tensor<1x64xf32>
  %wanted = tile.splat %label : i32 -> tensor<1x64xi32>
  %range = tile.range %c0 : tensor<64xi32>
  %columns = tile.expand_dims %range, 0 : tensor<64xi32> -> tensor<1x64xi32>
  %is = arith.cmpi eq, %columns, %wanted : tensor<1x64xi32>
  %only = arith.select %is, %t, %zeros : tensor<1x64xi1>, tensor<1x64xf32>
  %picked = tile.reduce sum %only, 1 : tensor<1x64xf32> -> tensor<1xf32>
  %peak = tile.reduce max %t, 1 : tensor<1x64xf32> -> tensor<1xf32>
  tile.store %peak, %y[%i] extents [1] : tensor<1xf32>, !tile.view<?xf32>, i32
  tile.store %picked, %y[%i] extents [1] : tensor<1xf32>, !tile.view<?xf32>, i32
  return
}

// CHECK-LABEL: @rows
// CHECK-NOT: -1]
func.func @rows(%x: !view {tile.name = "x"}, %labels: !tile.view<?xi32> {tile.name = "labels"},
                %y: !tile.view<?xf32> {tile.name = "y"}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %zeros = arith.constant dense<0.0> : tensor<2x128xf32>
  %m = tile.dim %x, 0 : !view
  tile.grid[%m]
  %i = tile.program_id 0
  %t = tile.load %x[%i, %c0] extents [2, 128] : !view, i32, i32 -> tensor<2x128xf32>
  %label = tile.load %labels[%i] extents [2] : !tile.view<?xi32>, i32 -> tensor<2xi32>
  %range = tile.range %c0 : tensor<128xi32>
  %row = tile.expand_dims %range, 0 : tensor<128xi32> -> tensor<1x128xi32>
  %columns = tile.broadcast %row : tensor<1x128xi32> -> tensor<2x128xi32>
  %column = tile.expand_dims %label, 1 : tensor<2xi32> -> tensor<2x1xi32>
  %wanted = tile.broadcast %column : tensor<2x1xi32> -> tensor<2x128xi32>
  %is = arith.cmpi eq, %columns, %wanted : tensor<2x128xi32>
  %only = arith.select %is, %t, %zeros : tensor<2x128xi1>, tensor<2x128xf32>
  %picked = tile.reduce sum %only, 1 : tensor<2x128xf32> -> tensor<2xf32>
  %peak = tile.reduce max %t, 1 : tensor<2x128xf32> -> tensor<2xf32>
  tile.store %peak, %y[%i] extents [2] : tensor<2xf32>, !tile.view<?xf32>, i32
  tile.store %picked, %y[%i] extents [2] : tensor<2xf32>, !tile.view<?xf32>, i32
  return
}

// CHECK-LABEL: @written
// CHECK-NOT: extents [1, -1]
func.func @written(%x: !view {tile.name = "x"}, %labels: !tile.view<?xi32> {tile.name = "labels"},
                   %y: !tile.view<?xf32> {tile.name = "y"}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %zeros = arith.constant dense<0.0> : !row
  %m = tile.dim %x, 0 : !view
  tile.grid[%m]
  %i = tile.program_id 0
  %t = tile.load %x[%i, %c0] extents [1, 128] : !view, i32, i32 -> !row
  %peak = tile.reduce max %t, 1 : !row -> tensor<1xf32>
  tile.store %peak, %y[%i] extents [1] : tensor<1xf32>, !tile.view<?xf32>, i32
  tile.store %zeros, %x[%i, %c0] extents [1, 128] : !row, !view, i32, i32
  %label = tile.load %labels[%i] extents [1] : !tile.view<?xi32>, i32 -> tensor<1xi32>
  %range = tile.range %c0 : tensor<128xi32>
  %columns = tile.expand_dims %range, 0 : tensor<128xi32> -> tensor<1x128xi32>
  %column = tile.expand_dims %label, 1 : tensor<1xi32> -> tensor<1x1xi32>
  %wanted = tile.broadcast %column : tensor<1x1xi32> -> tensor<1x128xi32>
  %is = arith.cmpi eq, %columns, %wanted : tensor<1x128xi32>
  %only = arith.select %is, %t, %zeros : tensor<1x128xi1>, !row
  %picked = tile.reduce sum %only, 1 : !row -> tensor<1xf32>
  tile.store %picked, %y[%i] extents [1] : tensor<1xf32>, !tile.view<?xf32>, i32
  return
}

// CHECK-LABEL: @only
// CHECK-NOT: extents [1, -1]
func.func @only(%x: !view {tile.name = "x"}, %labels: !tile.view<?xi32> {tile.name = "labels"},
                %y: !view {tile.name = "y"}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %zeros = arith.constant dense<0.0> : !row
  %m = tile.dim %x, 0 : !view
  tile.grid[%m]
  %i = tile.program_id 0
  %label = tile.load %labels[%i] extents [1] : !tile.view<?xi32>, i32 -> tensor<1xi32>
  %t = tile.load %x[%i, %c0] extents [1, 128] : !view, i32, i32 -> !row
  %range = tile.range %c0 : tensor<128xi32>
  %columns = tile.expand_dims %range, 0 : tensor<128xi32> -> tensor<1x128xi32>
  %column = tile.expand_dims %label, 1 : tensor<1xi32> -> tensor<1x1xi32>
  %wanted = tile.broadcast %column : tensor<1x1xi32> -> tensor<1x128xi32>
  %is = arith.cmpi eq, %columns, %wanted : tensor<1x128xi32>
  %only = arith.select %is, %t, %zeros : tensor<1x128xi1>, !row
  %picked = tile.reduce sum %only, 1 : !row -> tensor<1xf32>
  %element = tile.expand_dims %picked, 1 : tensor<1xf32> -> tensor<1x1xf32>
  %all = tile.broadcast %element : tensor<1x1xf32> -> !row
  %z = arith.subf %t, %all : !row
  tile.store %z, %y[%i, %c0] extents [1, 128] : !row, !view, i32, i32
  return
}

// RUN: tile-opt %s --canonicalize --cse | FileCheck %s

// What was unpacked, and is narrowed to the same type again, is moved as it is.
// CHECK-LABEL: @moved
// CHECK: %[[X:.*]] = cuda.extract %arg0[%arg1] : vector<4xf8E4M3FN> -> f8E4M3FN
// CHECK: %[[A:.*]] = cuda.reinterpret %arg0 : vector<4xf8E4M3FN> -> vector<4xi8>
// CHECK: %[[B:.*]] = cuda.unpack %[[A]][%arg1] : vector<4xi8> -> i32
// CHECK: %[[W:.*]] = cuda.pack %[[B]], %[[B]], %[[B]], %[[B]] : i32, i32, i32, i32 -> vector<4xi8>
// CHECK: %[[F:.*]] = cuda.reinterpret %[[W]] : vector<4xi8> -> vector<4xf8E4M3FN>
// CHECK: return %[[X]], %[[F]]
func.func @moved(%word: vector<4xf8E4M3FN>, %i: i32) -> (f8E4M3FN, vector<4xf8E4M3FN>) {
  %value = cuda.unpack %word[%i] : vector<4xf8E4M3FN> -> f32
  %same = cuda.convert %value : f32 -> f8E4M3FN
  %packed = cuda.pack %value, %value, %value, %value : f32, f32, f32, f32 -> vector<4xf8E4M3FN>
  return %same, %packed : f8E4M3FN, vector<4xf8E4M3FN>
}

// f8E5M2 saturates where it was infinite.
// CHECK-LABEL: @saturated
// CHECK: cuda.convert
func.func @saturated(%word: vector<4xf8E5M2>, %i: i32) -> f8E5M2 {
  %value = cuda.unpack %word[%i] : vector<4xf8E5M2> -> f32
  %same = cuda.convert %value : f32 -> f8E5M2
  return %same : f8E5M2
}

// Another type is converted, and so is a word in which a value was computed.
// CHECK-LABEL: @converted
// CHECK: cuda.convert
// CHECK: cuda.pack %{{.*}}, %{{.*}} : f32, f32 -> vector<2xbf16>
func.func @converted(%word: vector<2xbf16>, %i: i32) -> (f16, vector<2xbf16>) {
  %value = cuda.unpack %word[%i] : vector<2xbf16> -> f32
  %other = cuda.convert %value : f32 -> f16
  %rounded = cuda.round_tf32 %value
  %packed = cuda.pack %value, %rounded : f32, f32 -> vector<2xbf16>
  return %other, %packed : f16, vector<2xbf16>
}

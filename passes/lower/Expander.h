//===- Expander.h - from one thread block to one thread ---------------------------------------===//
//
// The state of `expand-to-cuda`, which walks a `cta` kernel in order and writes the `cuda` kernel.
// Its parts are spread over files by what they expand:
//
//   ExpandToCuda.cpp        the walk, parameters
//   ExpandControl.cpp       loops, branches, the grid
//   ExpandElements.cpp      elementwise ops and shape ops, as expressions over register arrays
//   ExpandAccesses.cpp      loads, stores and atomics of global memory
//   ExpandRandom.cpp        random bytes
//   ExpandReductions.cpp    reductions and scans across registers, lanes and warps
//   ExpandChannels.cpp      addresses of slots and barriers
//   ExpandCopies.cpp        what goes into slots and comes out of them
//   ExpandRoles.cpp         roles as branches
//   ExpandTiles.cpp         the loop over tiles
//   ExpandQueue.cpp         tiles from a queue
//   ExpandStreamK.cpp       stream-K: steps of tiles that blocks divide
//   ExpandLengths.cpp       the same where tiles differ in length
//   ExpandOrders.cpp        turns of roles and warpgroups
//   ExpandTma.cpp           boxes that TMA copies
//   ExpandWgmma.cpp         products of warpgroups, and what waits for them
//   ExpandProducts.cpp      fragments and mma
//   ExpandConversions.cpp   from one layout to another
//
// A register tile is an array with one entry per register of its layout. Values of 16 and 8 bits
// are packed in words where the layout's register count allows; arithmetic on them happens in f32
// (or i32) and is rounded after each op. An elementwise op that is used once is not given an
// array: it is evaluated, element by element, where it is used.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_PASSES_LOWER_EXPANDER_H
#define TILEWRIGHT_PASSES_LOWER_EXPANDER_H

#include "ir/Target.h"
#include "ir/cta/Cta.h"
#include "ir/cuda/Cuda.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "passes/Passes.h"
#include "passes/analysis/Divisibility.h"
#include "passes/analysis/NamedBarriers.h"
#include "passes/analysis/TileSearch.h"
#include "passes/lower/ExpanderState.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/SaveAndRestore.h"

namespace tilewright::passes {

class Expander {
public:
  explicit Expander(mlir::func::FuncOp kernel);
  mlir::LogicalResult run();

private:
  //===- The walk (ExpandToCuda.cpp) ---------------------------------------------------------===//
  void makeKernel();
  void makeParameters();
  bool needsPointer(Value view);
  void markReadOnly();
  void finishKernel();
  mlir::LogicalResult expandBlock(mlir::Block &block);
  static mlir::Location placeOf(mlir::Location location);
  mlir::LogicalResult expand(Operation *op);
#define EXPANSION(Op, method) mlir::LogicalResult method(Op op);
#include "passes/lower/Expansions.def"

  //===- Control flow (ExpandControl.cpp) ----------------------------------------------------===//
  /// A loop or branch, which warpgroups may run differently.
  mlir::LogicalResult expandControl(Operation *op);
  mlir::LogicalResult expandFor(mlir::scf::ForOp op);
  mlir::LogicalResult expandLoop(mlir::scf::ForOp op, mlir::ValueRange inits,
                                 llvm::ArrayRef<Value> arrays);
  mlir::LogicalResult expandWhile(mlir::scf::WhileOp op);
  mlir::LogicalResult expandIf(mlir::scf::IfOp op);
  /// Copies tiles into the arrays that carry them, as if all at once.
  void assignTiles(mlir::ValueRange tiles, llvm::ArrayRef<Value> arrays);
  void copyRegisters(Value from, Value to);

  //===- Small things ------------------------------------------------------------------------===//
  Value constant(int64_t value);
  Value constantOf(Type type, double value);
  Value integerOf(Type type, int64_t value);
  Value add(Value a, Value b);
  Value mul(Value a, int64_t factor);
  Value div(Value a, int64_t divisor);
  Value rem(Value a, int64_t divisor);
  Value bitXor(Value a, Value b);
  Value both(Value a, Value b); // logical and; null stands for true
  Value equal(Value a, Value b);
  Value select(Value condition, Value a, Value b);
  /// A loop over [0, count) that is unrolled, whole or by `factor`; a single iteration is written
  /// straight.
  void unrolled(int64_t count, llvm::function_ref<void(Value)> body, int64_t factor = 0);
  Value declare(Location loc, int64_t size, Type element);
  Value scalar(Value value) { return scalars.lookup(value); }

  //===- Register tiles (ExpandElements.cpp) -------------------------------------------------===//
  /// Values per array entry for `registers` values of that type.
  static int64_t packOf(Type element, int64_t registers);
  /// The type in which elements of that type are computed: f32 for narrow floats, i32 for narrow
  /// integers, else the type itself.
  Type computeType(Type element);
  Value declareTile(Location loc, mlir::RankedTensorType type);
  /// The array that holds a tile; computed now if it was left to its use.
  Value registersOf(Value tile);
  /// The array of a tile that `user` changes in place: its own, or a copy if the tile is wanted
  /// elsewhere, or again.
  Value changeableRegisters(Value tile, Operation *user);
  void roundTf32(Value array);
  void writeTile(Value tile, Value array);
  /// Element `index` (a register number) of a tile, in its compute type. Without `rounded`, a
  /// narrow value may still have the precision of its compute type.
  Value element(Value tile, Value index, bool rounded = true);
  /// An element of a range, or of a tile that repeats one, as what all registers of the thread
  /// share and what this one adds; nothing for other tiles.
  std::optional<std::pair<Value, Value>> rangeParts(Value tile, Value index);
  Value readElement(Value array, Value index);
  void writeElements(Value array, Value entry, mlir::ValueRange values);
  /// An elementwise or scalar op on operands in their compute types.
  Value evaluate(Operation *op, mlir::ValueRange operands, Type resultElement, bool rounded);
  Value convert(Location loc, Value value, Type from, Type to, bool rounded);
  mlir::LogicalResult expandElementwise(Operation *op);
  /// Changes elements of an f32 tile in its registers, by a value of their row: in warps that have
  /// a row for whose value `changes` is true.
  void changeRows(Value tile, Value rows, llvm::function_ref<Value(Value)> changes,
                  llvm::function_ref<Value(Value, Value)> change);

  //===- Random bytes (ExpandRandom.cpp) -----------------------------------------------------===//
  std::array<Value, 4> philoxCall(tile::RandomBytesOp op, Value row, Value column);
  Value randomOneByOne(tile::RandomBytesOp op);
  /// Of random bytes, of which the thread has the words: the word of element `index`, and which of
  /// its bytes that is.
  std::pair<Value, Value> randomPlace(tile::RandomBytesOp op, Value index);
  Value randomByte(tile::RandomBytesOp op, Value index);
  /// Writes a tile of 16-bit values that are 0 where a random byte is too small; false for others.
  bool writeKept(Value tile, Value array);

  //===- Layout arithmetic (ExpandElements.cpp) ----------------------------------------------===//
  /// What this thread's lane and warp add to the coordinate along `dim`.
  Value threadCoordinate(const Layout &layout, int64_t dim);
  Value registerCoordinate(const Layout &layout, int64_t dim, Value index);
  Value coordinate(const Layout &layout, int64_t dim, Value index);
  /// The register number left of `index` when the digits along dropped dimensions go.
  Value keepDigits(const Layout &layout, Value index, llvm::function_ref<bool(int64_t)> keep);
  /// True (null) unless replicas exist; then whether this thread is the first of them.
  Value firstReplica(const Layout &layout);
  /// The digits of a level, as an expression over `number`, that `visit` picks and scales.
  Value sumDigits(const Digits &digits, Value number,
                  llvm::function_ref<int64_t(const Digit &)> scale);

  //===- Global memory (ExpandAccesses.cpp) --------------------------------------------------===//
  struct GlobalAccess {
    ViewParams *view;
    llvm::SmallVector<Value> indices;    // scalar starts; null for gathered axes
    llvm::SmallVector<Value> indexTiles; // original tiles of gathered axes, else null
    llvm::ArrayRef<int64_t> extents, valid;
    llvm::ArrayRef<bool> inBounds;
    llvm::SmallVector<bool> startsInside; // the start is known not to be negative

    /// Whether the view, or the tile's valid part, may end within a vector of the innermost axis.
    bool mayEndInside() const {
      return inBounds.empty() || !inBounds.back() || (!valid.empty() && valid.back());
    }
  };
  template <typename Op> GlobalAccess accessOf(Op op) {
    GlobalAccess access;
    access.view = &views[op.getView()];
    access.extents = op.getExtents();
    if (auto valid = op.getValid())
      access.valid = *valid;
    if (auto bounds = op.getInBounds())
      access.inBounds = *bounds;
    for (Value index : op.getIndices()) {
      bool gathers = mlir::isa<mlir::RankedTensorType>(index.getType());
      access.indices.push_back(gathers ? Value() : scalar(index));
      access.indexTiles.push_back(gathers ? index : Value());
      access.startsInside.push_back(!gathers && knownNonNegative(index));
    }
    return access;
  }
  /// Where one register (the first of a vector) lies: its offset, whether it is inside along all
  /// axes but the innermost, and how many elements remain along that (null: enough).
  struct Place {
    Value offset, inside, remaining;
  };
  Place place(const GlobalAccess &access, const Layout &layout, Value index);
  Place placeScalar(const GlobalAccess &access);
  int64_t vectorOf(const GlobalAccess &access, const Layout &layout, int64_t limit);
  void loadTile(const GlobalAccess &access, const Layout &layout, Value array, int64_t limit,
                Value fill, Value predicate);
  void loadVector(const GlobalAccess &access, const Layout &layout, Value array, Value first,
                  Value entry, int64_t vector, Value fill, Value predicate);
  void packInto(Value array, Value entry, Value single, int64_t count);
  /// An array, and the entry in it, that hold `vector` elements of a tile from register `first` on:
  /// the tile's own, or one that is computed here.
  std::pair<Value, Value> vectorAt(Value tile, Value first, int64_t vector);
  /// Runs `whole(inside)` for a vector that lies within its row, else `single()`, which moves it
  /// element by element; a vector of one element only needs the former.
  void wholeOrSingle(const Place &where, int64_t vector, llvm::function_ref<void(Value)> whole,
                     llvm::function_ref<void()> single);
  Value offsetAt(Value offset, Value elements);
  Value moreThan(Value remaining, Value count);
  Value lessUnsigned(Value a, Value b);
  /// `index * stride` in the stride's width.
  Value scaled(Value index, Value stride);

  //===- Reductions (ExpandReductions.cpp) ---------------------------------------------------===//
  /// What each thread's own elements come to: registers of the result, not narrowed.
  Value reduceInThreads(mlir::Location where, tile::ReduceKind kind, Value tile, int64_t axis);
  /// Per row, a bound from above of the elements that the thread holds, as the bits of an f32.
  Value boundInThreads(mlir::Location where, Value tile);
  /// Combines `arrays` (registers of the result of `op`) over the lanes and warps along `axis`.
  void reduceAcrossThreads(Operation *op, llvm::ArrayRef<Value> arrays, const Layout &source,
                           const Layout &result, int64_t axis, int64_t registers,
                           llvm::ArrayRef<int64_t> resultShape,
                           llvm::function_ref<void(mlir::ValueRange other, Value index)> combine);

  //===- Channels (ExpandChannels.cpp, ExpandCopies.cpp) --------------------------------------===//
  Value liesInside(const GlobalAccess &access);
  void copyNarrow(const SlotState &slot, const GlobalAccess &access, const Layout &layout,
                  Value predicate);
  void copyChunks(const SlotState &slot, const GlobalAccess &access, const Layout &layout,
                  Value predicate, int64_t chunk);
  void makeBarriers();
  Value slotAt(ChannelState &state, Value index);
  Value barrierOf(cta::ChannelOp channel, cta::SlotState state, Value index);
  /// Waits for all threads of the block, or of the role; for those of the warpgroup.
  void barrier();
  void warpgroupBarrier();
  /// Refuses what takes all of a role's warps where its warpgroups are apart; `how` it does.
  void needAllWarps(llvm::StringRef how);
  bool loadMatrices(SlotState &slot, mlir::RankedTensorType type, Value array);
  bool loadTurned(SlotState &slot, mlir::RankedTensorType type, Value array);
  void exchangeBytes(Value from, Value to, std::array<uint32_t, 2> digits);
  /// The byte address of (row, column) of a slot. The column's multiple of 16 bytes is swizzled.
  Value slotAddress(const SlotState &slot, Value row, Value column);
  Layout copyLayout(cta::CopyOp op);
  void writeSlot(const SlotState &slot, Value array, const Layout &layout,
                 mlir::RankedTensorType type);
  void writeSlotByElement(const SlotState &slot, Value array, const Layout &layout,
                          mlir::RankedTensorType type, Value replica);
  /// Scratch shared memory of an op, whose use begins with a barrier.
  Value scratch(Operation *op);
  void planShared();

  //===- Roles (ExpandRoles.cpp) -------------------------------------------------------------===//
  /// Roles that share the register budget of whole warpgroups.
  struct RegisterPool {
    int64_t end; // the warpgroup behind its last
    std::optional<int64_t> registers;
    llvm::SmallVector<cta::RoleOp> roles;
  };
  mlir::LogicalResult expandRoles();
  mlir::LogicalResult expandPools(llvm::ArrayRef<RegisterPool> pools);
  mlir::LogicalResult expandRole(cta::RoleOp op);
  /// Whether this is the thread that does what is done once for the block or role; null: it is the
  /// only one.
  Value firstThread();
  /// Writes what `body` writes so that one thread of the role runs it.
  void byOneThread(llvm::function_ref<void()> body);
  void branch(Value condition, llvm::function_ref<void()> body);
  Value numberInWarpgroup();
  Value numberIn(cta::Threads threads);

  //===- Tiles (ExpandTiles.cpp) -------------------------------------------------------------===//
  /// A number to divide by again and again; a constant has no reciprocal.
  struct Divisor {
    Value value, reciprocal;
  };
  /// Which steps of the tiles left over a block makes (stream-K), counted from the first step of
  /// the first of these tiles; and what is the same for all blocks.
  struct StreamKRange {
    Value steps;      // of a tile; null where tiles differ
    Value size;       // of a range, at most
    Value begin, end; // this block's; both 0 where nothing is split
    Value tile;       // the tile left over in which it begins
    Value rounds;     // tiles that the block makes whole
    Value parts;      // tiles that it makes parts of, up to 2 where all are alike
    Value whole;      // the first tile left over
    /// Where tiles differ: the end of the one of which the next part is made (!cuda.regs<1 x i32>).
    Value unmade;
  };
  /// The part of a tile that is made in one go of the loop over them.
  struct Part {
    Value isLeft; // of a tile left over, and maybe not all of it
    Value start;  // such a tile's first step, counted as those of the range
    Value end;    // the step of the tile behind the part's last
    Value steps;  // of the tile
    Value place;  // the block's number, or its cluster's
    StreamKRange range;
  };
  struct TileLoop {
    cta::TilesOp op;
    llvm::SmallVector<Divisor> extents; // in the order in which they vary
    /// With groups: tiles of a plane of the first two axes, of a whole group, and the heights of a
    /// group and of the last.
    Divisor plane, band, group, lastHeight;
    Value total, first, step;         // numbers of tiles
    llvm::SmallVector<Value> carried; // registers of each value that a tile hands to the next
  };
  Divisor divisor(Value value, llvm::StringRef name);
  Value divide(Value number, const Divisor &by);
  /// The same where it is divided only once: by a shift, if that will do.
  Value quotient(Value number, const Divisor &by);
  Value product(Value a, Value b);
  /// The quotient and what is left.
  std::pair<Value, Value> divideWithRest(Value number, const Divisor &by);
  Value groupOf(cta::TilesOp op);
  llvm::SmallVector<Value> inOrder(cta::TilesOp op, llvm::ArrayRef<Value> values);
  llvm::SmallVector<Value> byAxis(cta::TilesOp op, llvm::ArrayRef<Value> ordered);
  TileLoop planTiles(cta::TilesOp op);
  llvm::SmallVector<Value> groupCoordinates(const TileLoop &loop, Value inPlane, Value plane);
  llvm::SmallVector<Value> tileCoordinates(const TileLoop &loop, Value number);
  mlir::LogicalResult expandTile(const TileLoop &loop, llvm::ArrayRef<Value> coordinates);
  llvm::SmallVector<Value> declareCarried(cta::TilesOp op);
  void takeOver(mlir::ValueRange names, llvm::ArrayRef<Value> carried);

  //===- Stream-K (ExpandStreamK.cpp) --------------------------------------------------------===//
  mlir::FailureOr<StreamKRange> planStreamK(const TileLoop &tiles);
  mlir::LogicalResult expandStreamK(const TileLoop &tiles);
  /// What a block leaves of unfinished tiles; 0 where none are split.
  int64_t workspaceBytes();
  /// The number of a block by its place; in a cluster there, the one of this block's rank.
  Value blockAt(Value place);
  Value leftBy(cta::CombineOp op, size_t number, Value block);
  void forEachLeft(cta::CombineOp op, size_t number, Value block,
                   llvm::function_ref<void(Value index, Value offset)> move);
  Value readLeft(Type compute, Value offset);
  void leaveParts(cta::CombineOp op, llvm::ArrayRef<Value> arrays);
  void addParts(cta::CombineOp op, llvm::ArrayRef<Value> arrays, Value block);
  mlir::LogicalResult mergeParts(cta::CombineOp op, llvm::ArrayRef<Value> arrays, Value block);
  void takeFlags(mlir::Location at, Value from, Value to);

  //===- Tiles of different lengths (ExpandLengths.cpp) --------------------------------------===//
  /// How many steps the tile at these coordinates has.
  mlir::FailureOr<Value> stepsAt(const TileLoop &tiles, llvm::ArrayRef<Value> coordinates);
  using Totals = llvm::SmallVector<Value>;
  /// Goes through the first `count` tiles left over. `next` says what numbers, which are 0 at first
  /// and go by `names`, are behind a tile of so many steps.
  mlir::FailureOr<Totals>
  addUp(const TileLoop &tiles, const StreamKRange &range, Value count,
        llvm::ArrayRef<llvm::StringRef> names,
        llvm::function_ref<Totals(Value steps, mlir::ValueRange before)> next);
  /// The steps of so many tiles left over, and those of the longest.
  mlir::FailureOr<std::pair<Value, Value>> sumSteps(const TileLoop &tiles,
                                                    const StreamKRange &range, Value count);
  /// Finds the tiles that the range touches.
  mlir::LogicalResult findStreamKRange(const TileLoop &tiles, StreamKRange &range, Value count);
  /// Where the tile begins of which the next part is made, counted as in the range.
  Value nextStart(const StreamKRange &range, Value isLeft, Value steps);

  //===- Queues (ExpandQueue.cpp) ------------------------------------------------------------===//
  struct QueuePlace {
    Value slot, full, empty, phase;
  };
  struct QueueWord { // of a slot
    int64_t number;
    mlir::Location named;
  };
  bool hasQueue();
  // LowerRings.cpp has these three.
  QueuePlace queuePlace(Value count);
  void handOut(Value count, mlir::ValueRange numbers, Value staged);
  llvm::SmallVector<Value> takeOut(Value count, llvm::ArrayRef<QueueWord> words, Value staged);
  mlir::LogicalResult expandGridStride(const TileLoop &tiles);
  mlir::LogicalResult expandQueue(const TileLoop &tiles);
  /// Takes the next tile in the last iteration of a loop.
  void handInLoop(mlir::scf::ForOp loop);
  /// What a tile's numbers are, that first, and whether it stores anything; null: it may.
  mlir::FailureOr<std::pair<llvm::SmallVector<Value>, Value>>
  searchTile(const TileLoop &tiles, const TileSearch &search, Value number);
  /// The next tile that stores anything, if it may be known, and what is found for it. `coming` is
  /// the next of all, and `take` puts another there.
  mlir::FailureOr<llvm::SmallVector<Value>> nextTile(const TileLoop &tiles,
                                                     const TileSearch &search, Value coming,
                                                     llvm::function_ref<void()> take);

  //===- Turns (ExpandOrders.cpp) ------------------------------------------------------------===//
  /// What the role does when it starts and ends, so that turns begin with the first in the circle
  /// and the last turn is given to nobody who does not take it.
  void startTurns();
  void endTurns();
  void forOrders(llvm::function_ref<void(cta::OrderOp)> body);
  /// Writes what `body` writes for those who have that place in the circle.
  void ifPlace(cta::OrderOp order, Value place, llvm::function_ref<void()> body);
  std::pair<Value, int64_t> turnBarrier(cta::OrderOp order, int64_t steps);

  //===- Boxes (ExpandTma.cpp) ---------------------------------------------------------------===//
  cuda::TensorMapType mapType(Operation *copyOrStore);
  /// The axes of a map of a view, outermost first. In front of them stand those along which the
  /// view is a part of its tensor, the first twice (TensorMapSpec::axes of the runtime).
  mlir::ArrayAttr mapAxes(Value view);
  Value mapOf(Value view, cuda::TensorMapType type) {
    return maps.lookup({tile::tensorOf(view), type, mapAxes(view)});
  }
  /// Makes coordinates in a part those of its map, but for the outer ones, which it gives.
  llvm::SmallVector<Value> enterPart(Value view, llvm::MutableArrayRef<Value> coordinates);
  void forEachBox(Value view, cuda::TensorMapType map, const PanelLayout &panels,
                  llvm::ArrayRef<int64_t> extents, mlir::ValueRange indices, int64_t rows,
                  Value firstRow, std::pair<Value, Value> origin,
                  llvm::function_ref<void(mlir::ValueRange coordinates, Value offset)> move);
  mlir::LogicalResult expandTmaCopy(cta::CopyOp op);
  void enterStores();
  /// What a counter of slots says; it then moves on.
  Value nextIndex(Value counter, int64_t depth);
  /// Waits until TMA has read what the role stored.
  void awaitStores();
  /// Stores a tile to a slot; `vectorAt(register, elements)` gives the array and entry that hold so
  /// many elements.
  void fillSlot(const SlotState &slot, mlir::RankedTensorType type,
                llvm::function_ref<std::pair<Value, Value>(Value, int64_t)> vectorAt);
  /// The register of a tile that part `part` of it, `size` elements along `dim`, has as `index`.
  Value sliceRegister(const Layout &whole, int64_t dim, int64_t size, Value part, Value index);

  //===- Products of warpgroups (ExpandWgmma.cpp) --------------------------------------------===//
  void expandWgmma(cta::MmaOp op, Value acc);
  /// Bytes from an operand's start to element (mn, k), before the swizzle; null is 0.
  Value panelOffset(const PanelLayout &panels, Major major, Value mn, Value k);
  /// True if nothing from `op` on reads `array` as this tile, or as one that is left to its uses.
  bool readBefore(Value tile, Value array, Operation *op);
  void enterSums(mlir::scf::ForOp op);
  void markBegun(mlir::scf::ForOp op, mlir::ValueRange names, llvm::function_ref<Value()> added);

  //===- Products and conversions ------------------------------------------------------------===//
  bool carriesResult(cta::MmaOp op, mlir::BlockArgument argument);
  void expandMmaSync(cta::MmaOp op, Value acc);
  void expandFma(cta::MmaOp op, Value acc);
  /// The words of the fragments of one step along k: of all of the warp's rows, or of its columns
  /// from word `first` on.
  Value loadFragmentsA(cta::MmaOp op, Value step);
  Value loadFragmentsB(cta::MmaOp op, Value step, Value first, int64_t count);
  /// Fragment words from an operand that ldmatrix cannot read: element by element.
  void gatherWords(const SlotState &slot, Value array, Value word, Value outer, Value k,
                   bool kIsRow);
  Value warpOffset(const Layout &layout, int64_t dim);
  /// The byte address of element `index` (a register number of `layout`).
  Value addressIn(const Crossing &crossing, const Layout &layout, Value index);
  /// Stores a tile to shared memory by stmatrix; false, and nothing done, where target or layout do
  /// not fit. `vectorAt(register, elements)` gives the array and entry that hold so many elements,
  /// `addressOf(layout, register)` the byte address of an element.
  bool storeMatrices(mlir::RankedTensorType type, const Layout &layout,
                     llvm::function_ref<std::pair<Value, Value>(Value, int64_t)> vectorAt,
                     llvm::function_ref<Value(const Layout &, Value)> addressOf);

  mlir::func::FuncOp kernel; // the source
  mlir::func::FuncOp result;
  const Target &target;
  int64_t warps; // of the block, or of the role under expansion
  mlir::OpBuilder builder;
  Location loc; // of the op being expanded

  mlir::IRMapping scalars;
  llvm::DenseMap<Value, Value> tiles; // register tile -> array
  llvm::DenseMap<Value, ViewParams> views;
  llvm::DenseMap<Value, ChannelState> channels;
  llvm::DenseMap<Value, SlotState> slots;
  llvm::DenseMap<Value, Value> randomWords; // random bytes -> the words that they lie in
  llvm::DenseMap<Value, Value> leftParts;   // part of another block -> where its first element lies
  llvm::DenseMap<Value, Crossing> crossings; // tiles that are read where they are stored
  Value thread, lane, warp;
  using CoordinateCache = llvm::SmallVector<std::pair<Digits, Value>>; // lanes then warps
  CoordinateCache threadCoordinates;
  Operation *entryEnd = nullptr; // where thread coordinates are computed

  /// From here on thread coordinates are computed at this place, and not moved from it.
  void renewThread();
  /// While it lives, and if it is active, the thread has been renewed.
  class FreshThread {
  public:
    FreshThread(Expander &expander, bool active);

  private:
    llvm::SaveAndRestore<Value> lane, warp;
    llvm::SaveAndRestore<Operation *> end;
    llvm::SaveAndRestore<CoordinateCache> coordinates;
  };

  //===- State of roles ----------------------------------------------------------------------===//
  cta::RoleOp role;      // under expansion
  bool elected = false;  // a single thread runs it
  Value warpgroup;       // of the block
  Value warpgroupThread; // the thread's number in its warpgroup
  int64_t cluster = 1;
  Value rank;              // of the block in its cluster
  Value sharedTiles;       // of the block, where the role takes turns at them; null: it takes all
  bool insideTurn = false; // in a section that the role's warpgroups pass one by one
  std::optional<Location> metInTurn; // where all of the role's warps would meet in it
  bool apart = false;     // in a loop or branch that the role's warpgroups may run differently
  bool misplaced = false; // in it stands what takes all of them; that has been said
  /// Tensor maps, by tensor, box and axes.
  llvm::DenseMap<std::tuple<Value, Type, mlir::Attribute>, Value> maps;
  llvm::MapVector<mlir::Attribute, RingBarriers> rings; // by their plans
  Value queueSlots; // the address of the first slot of the ring that hands out tiles
  llvm::SmallPtrSet<Operation *, 4> handed; // what found that which came with a tile
  Operation *handsAt = nullptr; // in front of it, in the last iteration, comes the next tile
  llvm::function_ref<void()> handNext;
  Value tileCounter;        // a pointer to where tiles are counted
  Value workspace;          // a pointer to where parts of tiles are left
  Value flags;              // a pointer to a flag per block, raised when it has left its part
  std::optional<Part> part; // what is under expansion, where tiles are split
  /// Per channel that the role stores through: a counter of slots; null where each store starts
  /// with slot 0.
  llvm::DenseMap<Value, Value> storing;
  /// Of a sum that is pending: whether there is anything to add to; null: there is.
  llvm::DenseMap<Value, Value> begun;
  /// Tiles whose registers a later sum has taken.
  llvm::DenseSet<Value> taken;
};

} // namespace tilewright::passes

#endif

//===- Expander.h - from one thread block to one thread ---------------------------------------===//
//
// `expand-to-cuda`, which walks a `cta` kernel in order and writes the `cuda` kernel. What it knows
// on the way is in ExpanderState.h. Sections below are named after its parts, Expand*.cpp, each of
// which begins with what it expands.
//
// A register tile is an array with one entry per register of its layout. Values of 16 and 8 bits
// are packed into words if the layout's register count allows. Arithmetic on them happens in f32
// (or i32), and each op rounds its result. An elementwise op with a single use has no array: its
// elements are computed where they are used.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_PASSES_LOWER_EXPANDER_H
#define TILEWRIGHT_PASSES_LOWER_EXPANDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/analysis/NamedBarriers.h"
#include "passes/analysis/OrderedSums.h"
#include "passes/analysis/TileSearch.h"
#include "passes/lower/ExpanderState.h"
#include "llvm/Support/SaveAndRestore.h"

namespace tilewright::passes {

class Expander : ExpanderState {
public:
  explicit Expander(mlir::func::FuncOp kernel);
  mlir::LogicalResult run();

private:
  //===- The kernel (ExpandKernel.cpp) -------------------------------------------------------===//
  void makeKernel();
  void makeParameters();
  bool needsPointer(Value view);
  void markReadOnly();
  void finishKernel();

  //===- The walk (ExpandToCuda.cpp) ---------------------------------------------------------===//
  mlir::LogicalResult expandBlock(mlir::Block &block);
  static mlir::Location placeOf(mlir::Location location);
  mlir::LogicalResult expand(Operation *op);
#define EXPANSION(Op, method) mlir::LogicalResult method(Op op);
#include "passes/lower/Expansions.def"

  //===- Control flow (ExpandControl.cpp) ----------------------------------------------------===//
  /// A loop or branch that warpgroups may run differently.
  mlir::LogicalResult expandControl(Operation *op);
  mlir::LogicalResult expandFor(mlir::scf::ForOp op);
  mlir::LogicalResult expandLoop(mlir::scf::ForOp op, mlir::ValueRange inits,
                                 llvm::ArrayRef<Value> arrays);
  mlir::LogicalResult expandWhile(mlir::scf::WhileOp op);
  mlir::LogicalResult expandIf(mlir::scf::IfOp op);
  /// Copies tiles into the arrays that carry them. The copies behave as if they were simultaneous.
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
  Value both(Value a, Value b);   // logical and; null stands for true
  Value either(Value a, Value b); // logical or; null stands for false
  Value equal(Value a, Value b);
  Value select(Value condition, Value a, Value b);
  /// A loop over [0, count), unrolled completely or by at most `factor`; for one iteration, none.
  void unrolled(int64_t count, llvm::function_ref<void(Value)> body, int64_t factor = 0);
  /// Unrolls a loop by the highest power of two that is at most `most`; which others go wrong, see
  /// cuda::kUnrollAttr.
  void unrollPartly(mlir::scf::ForOp loop, int64_t most);
  Value declare(Location loc, int64_t size, Type element);

  //===- Register tiles (ExpandElements.cpp) -------------------------------------------------===//
  /// Values per array entry for `registers` values of that type.
  static int64_t packOf(Type element, int64_t registers);
  /// The type in which elements are computed: f32 for narrow floats, i32 for narrow integers, else
  /// their own type.
  Type computeType(Type element);
  Value declareTile(Location loc, mlir::RankedTensorType type);
  /// The array that holds a tile. If its elements are computed at their use, they are computed now.
  Value registersOf(Value tile);
  /// The array of a tile that `user` changes in place: the tile's own, or a copy if the tile is
  /// used elsewhere or again.
  Value changeableRegisters(Value tile, Operation *user);
  void roundTf32(Value array);
  void writeTile(Value tile, Value array);
  /// Element `index` (a register number) of a tile, in its compute type. Without `rounded`, a
  /// narrow value may still have the precision of its compute type.
  Value element(Value tile, Value index, bool rounded = true);
  Value storedValue(Value value, Type element, Type type);
  Value readElement(Value array, Value index);
  void writeElements(Value array, Value entry, mlir::ValueRange values);
  /// An elementwise or scalar op, on operands in their compute types.
  Value evaluate(Operation *op, mlir::ValueRange operands, Type resultElement, bool rounded);
  Value convert(Location loc, Value value, Type from, Type to, bool rounded);
  mlir::LogicalResult expandElementwise(Operation *op);
  /// Whether `changes` is true for one of a warp's rows, of which a thread has so many.
  Value voteOn(int64_t rows, llvm::function_ref<Value(Value)> changes);
  /// Whether it is true for the value of one of them.
  Value voteOnRows(Value rows, llvm::function_ref<Value(Value)> changes);
  /// Updates elements of an f32 tile in its registers from a value per row, in warps for which
  /// `any`, a vote, is true.
  void changeRows(Value tile, Value rows, Value any,
                  llvm::function_ref<Value(Value, Value)> change);

  //===- Peaks (ExpandPeaks.cpp) -------------------------------------------------------------===//
  /// Per row of a tile, an element that no other of the thread exceeds: its bits.
  void boundInThreads(Value bounds, Value tile, bool isSigned);
  Value voteOnFactors(cta::RescaleOp op);
  void voteBefore(cta::WaitGroupOp wait);

  //===- Random bytes (ExpandRandom.cpp) -----------------------------------------------------===//
  std::array<Value, 4> philoxCall(tile::RandomBytesOp op, Value row, Value column);
  Value randomOneByOne(tile::RandomBytesOp op);
  /// For random bytes whose words the thread has: the word of element `index`, and the byte within
  /// it.
  std::pair<Value, Value> randomPlace(tile::RandomBytesOp op, Value index);
  Value randomByte(tile::RandomBytesOp op, Value index);
  /// Writes a tile of 16-bit values that are 0 where a random byte is too small. Returns false for
  /// other tiles.
  bool writeKept(Value tile, Value array);

  //===- Index tiles (ExpandIndices.cpp) -----------------------------------------------------===//
  /// An element of a difference of indices as floats; null for other differences.
  Value difference(mlir::arith::SubFOp op, Value index);
  /// An element of a range, or of a tile that repeats one, also as floats, as a sum of a part
  /// common to all registers of the thread and the part of this register. Nothing for other tiles.
  std::optional<std::pair<Value, Value>> rangeParts(Value tile, Value index);
  /// An element of a comparison of indices; null for other comparisons.
  Value comparison(mlir::arith::CmpIOp op, Value index);
  /// Whether registers' part `step` of a coordinate is before `end` in all threads; null if never.
  Value surelyBefore(const Layout &layout, int64_t dim, Value step, int64_t end);
  /// An i32 as f32.
  Value asFloat(Value number);

  //===- Layout arithmetic (ExpandElements.cpp) ----------------------------------------------===//
  /// The part of the coordinate along `dim` that depends on this thread's lane and warp.
  Value threadCoordinate(const Layout &layout, int64_t dim);
  Value registerCoordinate(const Layout &layout, int64_t dim, Value index);
  Value coordinate(const Layout &layout, int64_t dim, Value index);
  /// The register number that remains of `index` without the digits along dropped dimensions.
  Value keepDigits(const Layout &layout, Value index, llvm::function_ref<bool(int64_t)> keep);
  /// The first register along `dim` of those of which `keepDigits` leaves `index`.
  Value firstAlong(const Layout &layout, Value index, int64_t dim);
  /// Whether this thread is the first of its replicas; null (true) if there are none.
  Value firstReplica(const Layout &layout);
  /// Replicas are numbered along lanes first, then along warps.
  Replicas replicasOf(const Layout &layout);
  /// The digits of a level that `visit` selects and scales, as an expression over `number`.
  Value sumDigits(const Digits &digits, Value number,
                  llvm::function_ref<int64_t(const Digit &)> scale);

  //===- Global memory (ExpandAccesses.cpp) --------------------------------------------------===//
  Place place(const GlobalAccess &access, const Layout &layout, Value index, int64_t vector);
  Place placeScalar(const GlobalAccess &access);
  int64_t vectorOf(const GlobalAccess &access, const Layout &layout, int64_t limit);
  void loadTile(const GlobalAccess &access, const Layout &layout, Value array, int64_t limit,
                Value fill, Value predicate);
  void loadVector(const GlobalAccess &access, const Layout &layout, Value array, Value first,
                  Value entry, int64_t vector, Value fill, Value predicate);
  void packInto(Value array, Value entry, Value single, int64_t count);
  void readAtStore(Operation *read, Value first, int64_t vector);
  /// An array and an index into it, where `vector` elements of a tile from register `first` on are
  /// stored: in the tile's own array, or in one that is computed here.
  std::pair<Value, Value> vectorAt(Value tile, Value first, int64_t vector);
  /// Runs `whole(inside)` for a vector that lies within its row, else `single()`, which moves it
  /// element by element.
  void wholeOrSingle(const Place &where, int64_t vector, llvm::function_ref<void(Value)> whole,
                     llvm::function_ref<void()> single);
  Value offsetAt(Value offset, Value elements);
  Value moreThan(Value remaining, Value count);
  Value lessUnsigned(Value a, Value b);
  /// `index * stride` in the stride's width.
  Value scaled(Value index, Value stride);

  //===- Reductions (ExpandReductions.cpp) ---------------------------------------------------===//
  /// Makes the registers that say whose turn it is where scratch memory is used in turns.
  void makeTurns();
  /// The scratch memory of a reduction that it may write to now. Waits for others that read there.
  Value openScratch(Operation *op);
  /// Reduces each thread's own elements of tiles of one type: registers of the results, not
  /// narrowed.
  llvm::SmallVector<mlir::Value> reduceInThreads(mlir::Location where, tile::ReduceKind kind,
                                                 mlir::ValueRange sources, int64_t axis);
  /// Reduces tiles of one type to `results`.
  void reduceTogether(Operation *op, tile::ReduceKind kind, mlir::ValueRange sources, int64_t axis,
                      mlir::ValueRange results);
  /// Lets `result` be what a reduction of tiles of `element` left in `array`.
  void finishReduction(mlir::Location where, Value array, mlir::Type element, Value result);
  /// Combines `arrays` (registers of the result of `op`) over the lanes and warps along `axis`.
  void reduceAcrossThreads(Operation *op, llvm::ArrayRef<Value> arrays, const Layout &source,
                           const Layout &result, int64_t axis, int64_t registers,
                           llvm::ArrayRef<int64_t> resultShape, bool inLanes, CombineAt combine);
  void combineWithLane(llvm::ArrayRef<Value> arrays, Value index, int64_t step, CombineAt combine,
                       int64_t threads);
  void combineParts(llvm::ArrayRef<Value> arrays, Value index, Shares shares, bool inLanes,
                    CombineAt combine,
                    llvm::function_ref<void(size_t, Value part, Value array, Value place)> load);

  //===- Moments (ExpandMoments.cpp) ---------------------------------------------------------===//
  llvm::SmallVector<Value> momentsInThreads(cta::MomentsOp op);
  void mergeMoments(llvm::ArrayRef<Value> arrays, mlir::ValueRange others, Value index,
                    Shares shares, int64_t elements);

  //===- Across the blocks of a cluster (ExpandExchanges.cpp) --------------------------------===//
  void makeExchanges();
  Value sharedOf(cta::ClusterReduceOp op);
  void sendToCluster(Value array, const Replicas &replicas, Value barrier,
                     llvm::function_ref<Value(Value)> placeOf);

  //===- Channels (ExpandChannels.cpp, ExpandCopies.cpp) --------------------------------------===//
  Value liesInside(const GlobalAccess &access);
  void fillUnless(Value inside, cta::CopyOp op, Value to);
  void copyNarrow(const SlotState &slot, const GlobalAccess &access, const Layout &layout,
                  Value predicate);
  void copyChunks(const SlotState &slot, const GlobalAccess &access, const Layout &layout,
                  Value predicate, int64_t chunk);
  void makeBarriers();
  void placeSlot(SlotState &slot, ChannelState &state, Value index);
  Value addressInBlock(SlotState &slot);
  Value barrierOf(cta::ChannelOp channel, cta::SlotState state, Value index);
  /// Waits for all threads of the block or the role, or of the warpgroup if warpgroups are apart.
  void barrier();
  void warpgroupBarrier();
  /// Refuses an op that needs all warps of a role whose warpgroups are apart. `how` describes the
  /// op.
  void needAllWarps(llvm::StringRef how);
  bool loadMatrices(SlotState &slot, mlir::RankedTensorType type, Value array);
  bool loadTurned(SlotState &slot, mlir::RankedTensorType type, Value array);
  void exchangeBytes(Value from, Value to, std::array<uint32_t, 2> digits);
  /// The byte address of (row, column) in a slot. The column's multiple of 16 bytes is swizzled.
  Value slotAddress(const SlotState &slot, Value row, Value column);
  /// The byte address of the element that register `index` of a tile in `layout` is for. Of a
  /// swizzled slot, the thread's part is xored with the register's chunk of 16 bytes, and the rest
  /// of the register's part is added last: registers of the same chunk share an address, to which
  /// an instruction adds a constant.
  Value slotAddress(const SlotState &slot, const Layout &layout, int64_t rank, Value index);
  SlotShape shapeOf(const SlotState &slot);
  /// The bytes of the panels in front of a column's, and the column in its panel.
  std::pair<Value, Value> panelOf(const SlotShape &shape, Value column);
  /// The xor that swizzles the columns of a row, which starts at byte `rowBytes`.
  Value swizzleOf(const SharedLayout &layout, Value rowBytes);
  void writeSlot(const SlotState &slot, Value array, const Layout &layout,
                 mlir::RankedTensorType type);
  void writeSlotByElement(const SlotState &slot, Value array, const Layout &layout,
                          mlir::RankedTensorType type, Value replica);
  /// The scratch memory of an op. Its use begins with a barrier, unless it is used in turns.
  Value scratch(Operation *op);
  void planShared();

  //===- Roles (ExpandRoles.cpp) -------------------------------------------------------------===//
  mlir::LogicalResult expandRoles();
  mlir::LogicalResult expandPools(llvm::ArrayRef<RegisterPool> pools);
  mlir::LogicalResult expandRole(cta::RoleOp op);
  /// Whether this thread is the one that acts for the block or role; null if it is the only one.
  Value firstThread();
  /// Makes one thread of the role run the code that `body` writes.
  void byOneThread(llvm::function_ref<void()> body);
  void branch(Value condition, llvm::function_ref<void()> body);
  void branchEither(Value condition, llvm::function_ref<void()> body,
                    llvm::function_ref<void()> other);
  Value numberInWarpgroup();
  Value numberIn(cta::Threads threads);

  //===- Additions in order (ExpandSums.cpp) --------------------------------------------------===//
  mlir::LogicalResult expandSumsInOrder(tile::AtomicOp last);
  void addInOrder(llvm::ArrayRef<tile::AtomicOp> sums);
  SumPlace sumPlace();
  Value blockAt(const SumPlace &at, Value row);
  Value membersOf(const SumPlace &at, Value first);
  Value firstOf(const SumPlace &at, Value group);
  Value groupsOf(const SumPlace &at);
  void addInGroups(llvm::ArrayRef<tile::AtomicOp> sums, llvm::ArrayRef<Value> arrays,
                   const SumPlace &at);
  void addTotals(llvm::ArrayRef<tile::AtomicOp> sums, const SumPlace &at);
  void addNeighbours(Value array, int64_t count, int64_t vector = 1);
  void updateWord(tile::AtomicOp sum, Value array, Value from, Value index, Value only);
  Value wordOf(Value block, Value word);
  mlir::Location named(llvm::StringRef name);
  Value sumRegisters(tile::AtomicOp sum);
  Value holdsFirst(tile::AtomicOp sum);
  void forEachWord(tile::AtomicOp sum, int64_t before, Value block,
                   llvm::function_ref<void(Value index, Value offset)> move);
  void leaveSums(llvm::ArrayRef<tile::AtomicOp> sums, llvm::ArrayRef<Value> arrays, Value block);
  void byLastToCount(Value counter, Value count, llvm::function_ref<void()> body);
  void addWord(Value array, Value index, Value words, Value from);
  void addLeftWord(Value array, Value index, Value word, Value offset, Value only);
  void gatherSums(llvm::ArrayRef<tile::AtomicOp> sums, llvm::ArrayRef<Value> arrays, Value first,
                  Value count, Value step);
  /// Adds to the view what this block holds, element by element.
  void updateView(tile::AtomicOp op);
  void updateElement(tile::AtomicOp op, const GlobalAccess &access, Value value, const Place &where,
                     Value only);

  //===- Together (ExpandSumsTogether.cpp) ---------------------------------------------------===//
  /// Flags of a block.
  int64_t flagsInOrder();
  Value flagOf(const SumPlace &at, int64_t flag);
  bool addsTogether();
  Operation *loopOfSums();
  void countIn();
  Value meetBlocks(Value left, tile::AtomicOp last, const SumPlace &at);
  Value countHere(const SumPlace &at, cuda::FlagOrder order);
  void openWay(Value left, const SumPlace &at);
  void addTogether(llvm::ArrayRef<tile::AtomicOp> sums, const SumPlace &at);
  void
  withPiece(llvm::ArrayRef<tile::AtomicOp> sums, Value piece,
            llvm::function_ref<void(tile::AtomicOp sum, Value index, Value i, Value only)> body);
  void addGroups(Value total, const SumPlace &at, Value first, Value piece, Value only);

  //===- Tiles (ExpandTiles.cpp) -------------------------------------------------------------===//
  Divisor divisor(Value value, llvm::StringRef name);
  Value divide(Value number, const Divisor &by);
  /// The quotient for a single use: a shift, if possible.
  Value quotient(Value number, const Divisor &by);
  Value product(Value a, Value b);
  std::pair<Value, Value> divideWithRest(Value number, const Divisor &by);
  Value groupOf(cta::TilesOp op);
  llvm::SmallVector<Value> inOrder(cta::TilesOp op, llvm::ArrayRef<Value> values);
  llvm::SmallVector<Value> byAxis(cta::TilesOp op, llvm::ArrayRef<Value> ordered);
  TileLoop planTiles(cta::TilesOp op);
  llvm::SmallVector<Value> groupCoordinates(const TileLoop &loop, Value inPlane, Value plane);
  llvm::SmallVector<Value> tileCoordinates(const TileLoop &loop, Value number);
  Value placeInCluster(int64_t axis);
  mlir::LogicalResult expandTile(const TileLoop &loop, llvm::ArrayRef<Value> coordinates);
  llvm::SmallVector<Value> declareCarried(cta::TilesOp op);
  void takeOver(mlir::ValueRange names, llvm::ArrayRef<Value> carried);

  //===- Stream-K (ExpandStreamK.cpp) --------------------------------------------------------===//
  mlir::FailureOr<StreamKRange> planStreamK(const TileLoop &tiles);
  mlir::LogicalResult expandStreamK(const TileLoop &tiles);
  /// Bytes that a block writes for unfinished tiles; 0 if no tiles are split.
  int64_t workspaceBytes();
  /// The number of a block from its place. In a cluster, the block there with the rank of this one.
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
  /// The number of steps of the tile at these coordinates.
  mlir::FailureOr<Value> stepsAt(const TileLoop &tiles, llvm::ArrayRef<Value> coordinates);
  using Totals = llvm::SmallVector<Value>;
  /// Walks the first `count` remaining tiles. `next` updates numbers, which start at 0 and are
  /// called `names`, for a tile with so many steps.
  mlir::FailureOr<Totals>
  addUp(const TileLoop &tiles, const StreamKRange &range, Value count,
        llvm::ArrayRef<llvm::StringRef> names,
        llvm::function_ref<Totals(Value steps, mlir::ValueRange before)> next);
  /// The steps of the remaining tiles in total, and those of the longest one.
  mlir::FailureOr<std::pair<Value, Value>> sumSteps(const TileLoop &tiles,
                                                    const StreamKRange &range, Value count);
  /// Finds the tiles that the range overlaps.
  mlir::LogicalResult findStreamKRange(const TileLoop &tiles, StreamKRange &range, Value count);
  /// The start, counted as in the range, of the tile whose part comes next.
  Value nextStart(const StreamKRange &range, Value isLeft, Value steps);

  //===- Queues (ExpandQueue.cpp) ------------------------------------------------------------===//
  bool hasQueue();
  // The next three are in LowerRings.cpp.
  QueuePlace queuePlace(Value count);
  void handOut(Value count, mlir::ValueRange numbers, Value staged);
  llvm::SmallVector<Value> takeOut(Value count, llvm::ArrayRef<QueueWord> words, Value staged);
  mlir::LogicalResult expandGridStride(const TileLoop &tiles);
  mlir::LogicalResult expandQueue(const TileLoop &tiles);
  /// Takes the next tile in the last iteration of a loop.
  void handInLoop(mlir::scf::ForOp loop);
  /// First the numbers of a tile, then whether it stores anything; null: it may.
  mlir::FailureOr<std::pair<llvm::SmallVector<Value>, Value>>
  searchTile(const TileLoop &tiles, const TileSearch &search, Value number);
  /// The next tile that stores anything, if this can be known, and what was found for it. `coming`
  /// is the next tile in order; `take` puts another one there.
  mlir::FailureOr<llvm::SmallVector<Value>> nextTile(const TileLoop &tiles,
                                                     const TileSearch &search, Value coming,
                                                     llvm::function_ref<void()> take);

  //===- Timelines (ExpandTimeline.cpp) ------------------------------------------------------===//
  /// Code at the start and the end of a lane, in a kernel with a timeline.
  void startLane();
  void endLane();
  int64_t timelineNumber(llvm::StringRef key);

  //===- Turns (ExpandOrders.cpp) ------------------------------------------------------------===//
  /// Code at the start and the end of a role, which makes turns begin with the first member and
  /// ends the circle after the last turn.
  void startTurns();
  void endTurns();
  void forOrders(llvm::function_ref<void(cta::OrderOp)> body);
  /// Runs the code that `body` writes in the members with that place in the circle.
  void ifPlace(cta::OrderOp order, Value place, llvm::function_ref<void()> body);
  std::pair<Value, int64_t> turnBarrier(cta::OrderOp order, int64_t steps);

  //===- Boxes (ExpandTma.cpp) ---------------------------------------------------------------===//
  cuda::TensorMapType mapType(Operation *copyOrStore);
  /// The axes of a tensor map of a view, outermost first. In front of them stand the axes along
  /// which the view is a part of its tensor, the first of them twice (TensorMapSpec::axes of the
  /// runtime).
  mlir::ArrayAttr mapAxes(Value view);
  Value mapOf(Value view, cuda::TensorMapType type) {
    return maps.lookup({tile::tensorOf(view), type, mapAxes(view)});
  }
  /// Changes coordinates in a part to those of its tensor map, and returns the outer ones.
  llvm::SmallVector<Value> enterPart(Value view, llvm::MutableArrayRef<Value> coordinates);
  void forEachBox(Value view, cuda::TensorMapType map, const PanelLayout &panels,
                  llvm::ArrayRef<int64_t> extents, mlir::ValueRange indices, int64_t rows,
                  Value firstRow, std::pair<Value, Value> origin,
                  llvm::function_ref<void(mlir::ValueRange coordinates, Value offset)> move);
  Value sharersOf(int64_t axis);
  mlir::LogicalResult expandTmaCopy(cta::CopyOp op);
  void enterStores();
  /// The value of a slot counter, which then advances.
  Value nextIndex(Value counter, int64_t depth);
  /// Waits until TMA has read the tiles that the role stored.
  void awaitStores();
  /// Stores a tile to a slot. `vectorAt(register, elements)` gives the array and index of so many
  /// elements.
  void fillSlot(const SlotState &slot, mlir::RankedTensorType type,
                llvm::function_ref<std::pair<Value, Value>(Value, int64_t)> vectorAt);
  /// The register of a tile for register `index` of its part `part`, where a part has `size`
  /// elements along `dim`.
  Value sliceRegister(const Layout &whole, int64_t dim, int64_t size, Value part, Value index);

  //===- Products of warpgroups (ExpandWgmma.cpp) --------------------------------------------===//
  void expandWgmma(cta::MmaOp op, Value acc);
  /// Bytes from an operand's start to element (mn, k), before the swizzle; null is 0.
  Value panelOffset(const PanelLayout &panels, Major major, Value mn, Value k);
  /// True if no op from `op` on reads `array` through this tile, or through a tile that is computed
  /// at its use.
  bool readBefore(Value tile, Value array, Operation *op);
  void enterSums(mlir::scf::ForOp op);
  void markBegun(mlir::scf::ForOp op, mlir::ValueRange names, llvm::function_ref<Value()> added);

  //===- Products and conversions ------------------------------------------------------------===//
  bool carriesResult(cta::MmaOp op, mlir::BlockArgument argument);
  void expandMmaSync(cta::MmaOp op, Value acc);
  void expandFma(cta::MmaOp op, Value acc);
  /// The fragment words of one step along k: for all rows of the warp, or for its columns from word
  /// `first` on.
  Value loadFragmentsA(cta::MmaOp op, Value step);
  Value loadFragmentsB(cta::MmaOp op, Value step, Value first, int64_t count);
  /// Gathers fragment words of an operand that ldmatrix cannot read, element by element.
  void gatherWords(const SlotState &slot, Value array, Value word, Value outer, Value k,
                   bool kIsRow);
  Value warpOffset(const Layout &layout, int64_t dim);
  /// The byte address of element `index` (a register number of `layout`).
  Value addressIn(const Crossing &crossing, const Layout &layout, Value index);
  /// Stores a tile to shared memory by stmatrix. If the target or the layout does not allow it,
  /// does nothing and returns false. `vectorAt(register, elements)` gives the array and index of so
  /// many elements, and `addressOf(layout, register)` the byte address of an element.
  bool storeMatrices(mlir::RankedTensorType type, const Layout &layout,
                     llvm::function_ref<std::pair<Value, Value>(Value, int64_t)> vectorAt,
                     llvm::function_ref<Value(const Layout &, Value)> addressOf);

  //===- Thread coordinates -----------------------------------------------------------------===//
  /// From here on, computes thread coordinates anew, so that ptxas does not keep them in registers.
  void renewThread();
  /// If active, thread coordinates are computed anew during its lifetime.
  class FreshThread {
  public:
    FreshThread(Expander &expander, bool active);

  private:
    llvm::SaveAndRestore<Value> lane, warp;
    llvm::SaveAndRestore<Operation *> end;
    llvm::SaveAndRestore<CoordinateCache> coordinates;
  };
};

/// Two elements as a reduction combines them.
Value combineValues(mlir::OpBuilder &builder, Location loc, tile::ReduceKind kind, Value a,
                    Value b);

} // namespace tilewright::passes

#endif

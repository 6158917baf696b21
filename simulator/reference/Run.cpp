// Runs the programs of a grid over threads, and reports what went wrong on the thread that asked.
//
// Programs are handed out in ascending order and handing out stops at the first failure, so every
// program below a failed one has started and will finish: the lowest failure is always found.
#include "simulator/reference/Run.h"

#include "ir/cta/Cta.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cstring>
#include <mutex>
#include <numeric>
#include <thread>

using namespace mlir;

namespace tilewright::simulator {

//===- Shadows --------------------------------------------------------------------------------===//

namespace {
/// How a kernel accesses a buffer, through any of its views.
struct BufferUse {
  bool written = false, read = false, updated = false;
};
using BufferUses = llvm::MapVector<Buffer *, BufferUse>;

/// The shadows of a run, by buffer.
using Shadows = llvm::MapVector<Buffer *, std::unique_ptr<Shadow>>;
} // namespace

static BufferUses findUses(func::FuncOp kernel, ArrayRef<Argument> arguments) {
  BufferUses uses;
  auto useOf = [&](Value view) -> BufferUse & {
    unsigned argument = cast<BlockArgument>(tile::tensorOf(view)).getArgNumber();
    return uses[std::get<ViewValue>(arguments[argument]).buffer];
  };
  kernel.walk([&](Operation *op) {
    llvm::TypeSwitch<Operation *>(op)
        .Case<tile::LoadOp, cta::CopyOp, cta::LoadOp>(
            [&](auto load) { useOf(load.getView()).read = true; })
        .Case<tile::StoreOp>([&](auto store) { useOf(store.getView()).written = true; })
        .Case<tile::AtomicOp>([&](auto atomic) { useOf(atomic.getView()).updated = true; })
        .Case<cta::StoreOp>([&](auto store) {
          BufferUse &use = useOf(store.getView());
          (store.getAdd() ? use.updated : use.written) = true;
        });
  });
  return uses;
}

/// Makes a shadow for each buffer on which something can go wrong, and hands them to the views.
static Shadows makeShadows(const BufferUses &uses, const Options &options,
                           std::vector<BoundView> &views) {
  Shadows shadows;
  for (auto [buffer, use] : uses) {
    bool races = options.checkRaces && (use.written || use.updated);
    bool poison = options.poison && !buffer->initialized && (use.read || use.updated);
    if (races || poison)
      shadows[buffer] = std::make_unique<Shadow>(buffer->elements, use.written, races && use.read,
                                                 races && use.updated);
    for (BoundView &view : views)
      if (view.view->buffer == buffer) {
        view.shadow = races || poison ? shadows[buffer].get() : nullptr;
        view.poison = poison;
      }
  }
  return shadows;
}

/// Sets the elements of a view to 0, from element `first` on and along the axes from `axis` on.
static void zeroElements(const ViewValue &view, int64_t first, size_t axis, int64_t bytes) {
  if (axis < view.shape.size()) {
    for (int64_t i = 0; i < view.shape[axis]; ++i)
      zeroElements(view, first + i * view.strides[axis], axis + 1, bytes);
  } else if (first >= 0 && first < view.buffer->elements) {
    std::memset(static_cast<char *>(view.buffer->data) + first * bytes, 0, size_t(bytes));
  }
}

/// Sets what starts at zero to 0, so that it may be read.
static void zeroTensors(func::FuncOp kernel, std::vector<BoundView> &views) {
  for (BoundView &view : views)
    if (kernel.getArgAttr(view.argument, tile::kStartsAtZeroAttr)) {
      int64_t bits = view.view->buffer->elementType.getIntOrFloatBitWidth();
      zeroElements(*view.view, view.view->offset, 0, llvm::divideCeil(bits, 8));
      view.poison = false;
    }
}

/// Sums of floats depend on their order, so programs that update floats take turns.
static bool needsOneThread(func::FuncOp kernel) {
  auto updatesFloats = [](Operation *op) {
    auto atomic = dyn_cast<tile::AtomicOp>(op);
    auto store = dyn_cast<cta::StoreOp>(op);
    if (!atomic && !(store && store.getAdd()))
      return WalkResult::advance();
    tile::ViewType view = atomic ? atomic.getView().getType() : store.getView().getType();
    return isa<FloatType>(view.getElementType()) ? WalkResult::interrupt() : WalkResult::advance();
  };
  return kernel.walk(updatesFloats).wasInterrupted();
}

//===- Programs -------------------------------------------------------------------------------===//

namespace {
class GridRun {
public:
  GridRun(const Program &program, ArrayRef<int64_t> grid) : program(program), grid(grid) {
    programs = std::accumulate(grid.begin(), grid.end(), uint64_t(1), std::multiplies<>());
  }

  void run(unsigned threads) {
    threads = unsigned(std::min<uint64_t>(threads, programs));
    std::vector<std::thread> others;
    for (unsigned i = 1; i < threads; ++i)
      others.emplace_back([this] { work(); });
    work();
    for (std::thread &thread : others)
      thread.join();
  }

  /// Points an execution at a program.
  void enter(Execution &execution, uint64_t id) const {
    execution.id = uint32_t(id);
    execution.programs = programs;
    execution.coordinates.clear();
    for (int64_t extent : grid) {
      execution.coordinates.push_back(id % extent);
      id /= extent;
    }
  }

  uint64_t programs;
  std::optional<std::pair<uint64_t, Failure>> lowest;
  Statistics statistics;

private:
  void work() {
    Execution execution(program);
    uint64_t id;
    while (!stopped && (id = next++) < programs) {
      enter(execution, id);
      ++execution.statistics.programs;
      if (!execution.run())
        stop(id, *execution.failure);
    }
    std::lock_guard lock(mutex);
    statistics.programs += execution.statistics.programs;
    statistics.instructions += execution.statistics.instructions;
    statistics.dotFlops += execution.statistics.dotFlops;
    statistics.elementOps += execution.statistics.elementOps;
    statistics.bytesLoaded += execution.statistics.bytesLoaded;
    statistics.bytesStored += execution.statistics.bytesStored;
  }

  void stop(uint64_t id, const Failure &failure) {
    std::lock_guard lock(mutex);
    stopped = true;
    if (!lowest || id < lowest->first)
      lowest = {id, failure};
  }

  const Program &program;
  ArrayRef<int64_t> grid;
  std::atomic<uint64_t> next{0};
  std::atomic<bool> stopped{false};
  std::mutex mutex;
};
} // namespace

//===- Reports --------------------------------------------------------------------------------===//

/// `(1, 0)`, the coordinates of a program.
static std::string programName(const GridRun &run, Execution &execution, uint64_t id) {
  run.enter(execution, id);
  std::string text = "(";
  for (auto [axis, coordinate] : llvm::enumerate(execution.coordinates))
    text += (axis ? ", " : "") + std::to_string(coordinate);
  return text + ")";
}

/// The element as `[1, 2]` in a view whose axes do not overlap, or as its place in the buffer.
static std::string elementName(const ViewValue &view, int64_t element) {
  SmallVector<size_t> axes(view.shape.size());
  std::iota(axes.begin(), axes.end(), 0);
  llvm::sort(axes, [&](size_t a, size_t b) { return view.strides[a] > view.strides[b]; });
  SmallVector<int64_t> index(axes.size(), 0);
  int64_t rest = element - view.offset;
  for (size_t axis : axes) {
    if (view.strides[axis] <= 0 || view.shape[axis] == 1)
      continue;
    index[axis] = rest / view.strides[axis];
    rest %= view.strides[axis];
    if (rest < 0 || index[axis] >= view.shape[axis])
      return std::to_string(element);
  }
  if (rest != 0)
    return std::to_string(element);
  std::string text = "[";
  for (auto [axis, coordinate] : llvm::enumerate(index))
    text += (axis ? ", " : "") + std::to_string(coordinate);
  return text + "]";
}

static StringRef verb(Touch touch) {
  return touch == Touch::Write ? "writes" : touch == Touch::Read ? "reads" : "updates";
}

/// Runs a program again to see which op touches the element; null when it takes another path now.
static Operation *findToucher(const GridRun &run, Execution &execution, const Shadow *shadow,
                              int64_t element, uint32_t id, Touch touch) {
  Watch watch{shadow, element, touch};
  execution.watch = &watch;
  run.enter(execution, id);
  execution.run();
  execution.watch = nullptr;
  return watch.found;
}

static void reportConflict(func::FuncOp kernel, const GridRun &run, Execution &execution,
                           const BoundView &view, const Conflict &conflict) {
  auto locate = [&](uint32_t program, Touch touch) {
    Operation *op = findToucher(run, execution, view.shadow, conflict.element, program, touch);
    return op ? op->getLoc() : kernel.getLoc();
  };
  Location first = locate(conflict.firstProgram, conflict.first);
  Location second = locate(conflict.secondProgram, conflict.second);
  std::string one = programName(run, execution, conflict.firstProgram);
  std::string other = programName(run, execution, conflict.secondProgram);
  InFlightDiagnostic error = emitError(first);
  error << "race on element " << elementName(*view.view, conflict.element) << " of `" << view.name
        << "`: program " << one << " " << verb(conflict.first) << " it and program " << other << " "
        << verb(conflict.second) << " it";
  error.attachNote(second) << "program " << other << " " << verb(conflict.second) << " it here";
}

/// Reports the first race, by argument and element.
static LogicalResult checkConflicts(func::FuncOp kernel, const Program &program, const GridRun &run,
                                    ArrayRef<BoundView> views) {
  llvm::SmallPtrSet<const Shadow *, 8> seen;
  for (const BoundView &view : views) {
    if (!view.shadow || !seen.insert(view.shadow).second)
      continue;
    if (auto conflict = view.shadow->findConflict()) {
      Execution execution(program);
      reportConflict(kernel, run, execution, view, *conflict);
      return failure();
    }
  }
  return success();
}

LogicalResult interpret(func::FuncOp kernel, ArrayRef<Argument> arguments, const Options &options,
                        Statistics *statistics) {
  auto grid = evaluateGrid(kernel, arguments, options);
  if (failed(grid))
    return failure();
  auto views = bindViews(kernel, arguments);
  if (failed(views))
    return failure();
  Shadows shadows = makeShadows(findUses(kernel, arguments), options, *views);
  zeroTensors(kernel, *views);
  Program program;
  Compiler compiler(program, *views);
  compiler.multiprocessors = options.multiprocessors;
  compiler.perturbation = options.perturbation;
  auto finish = [](Operation *) { return success(); };
  if (failed(compiler.bindArguments(kernel, arguments)) ||
      failed(compiler.compileBlock(kernel.getBody().front(), finish)))
    return failure();

  GridRun run(program, *grid);
  uint64_t limit = std::min<uint64_t>(options.maxPrograms, UINT32_MAX - 1);
  if (run.programs > limit)
    return emitError(kernel.getLoc())
           << "the grid has " << run.programs << " programs, more than the limit of " << limit;
  unsigned threads = options.threads ? options.threads : std::thread::hardware_concurrency();
  run.run(needsOneThread(kernel) ? 1 : std::max(1u, threads));
  if (statistics) {
    *statistics = run.statistics;
    statistics->grid = *grid;
  }
  if (run.lowest) {
    Execution execution(program);
    const Failure &failure = run.lowest->second;
    InFlightDiagnostic error = emitError(failure.op->getLoc());
    error << failure.message << ", in program " << programName(run, execution, run.lowest->first);
    for (auto &[op, note] : failure.notes)
      error.attachNote(op->getLoc()) << note;
    return error;
  }
  return options.checkRaces ? checkConflicts(kernel, program, run, *views) : success();
}

} // namespace tilewright::simulator

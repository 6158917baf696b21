#include "tools/driver/PlanSearch.h"

#include "planner/TilePlane.h"
#include "tools/driver/KernelModule.h"
#include "tools/driver/ReadModel.h"

using namespace tilewright;
using namespace tilewright::driver;
using frontend::ConstValue;
using frontend::Param;
using planner::KernelModel;

bool driver::isRepeated(const runtime::TensorRef &tensor, size_t axis) {
  return tensor.strides && tensor.strides[axis] == 0 && tensor.shape[axis] > 1;
}

planner::Launch driver::launchOf(const Call &call, int64_t multiprocessors) {
  llvm::StringMap<runtime::ExprValue> values;
  std::set<std::pair<std::string, size_t>> repeated;
  for (auto [param, argument] : llvm::zip(call.params, call.arguments)) {
    if (const auto *tensor = std::get_if<runtime::TensorRef>(&argument)) {
      for (size_t axis = 0; axis < tensor->rank; ++axis)
        if (isRepeated(*tensor, axis))
          repeated.emplace(param->name, axis);
      for (unsigned axis = 0; axis < std::min<size_t>(tensor->rank, param->dims.size()); ++axis)
        if (!param->dims[axis].name.empty())
          values[param->dims[axis].name] = tensor->shape[axis];
    } else if (const auto *integer = std::get_if<int64_t>(&argument)) {
      values[param->name] = *integer;
    } else if (const auto *flag = std::get_if<bool>(&argument)) {
      values[param->name] = int64_t(*flag);
    } else if (const auto *number = std::get_if<double>(&argument)) {
      values[param->name] = float(*number);
    }
  }
  return {[values = std::move(values)](std::string_view name) -> std::optional<runtime::ExprValue> {
            auto found = values.find(llvm::StringRef(name.data(), name.size()));
            return found == values.end() ? std::nullopt : std::optional(found->second);
          },
          multiprocessors,
          [repeated = std::move(repeated)](std::string_view tensor, size_t axis) {
            return repeated.contains({std::string(tensor), axis});
          }};
}

namespace {

/// What a plan may state of a kernel beside its extents, before tiles are known.
struct Form {
  std::string positive = {}; ///< A scalar that is taken as positive.
  std::vector<passes::Plan::Parts> programs = {}, parts = {};
  int64_t depth = 0; ///< Of products' tiles; 0: the kernel's.

  bool isPlain() const { return positive.empty() && programs.empty() && parts.empty() && !depth; }
};

/// The role of a tile extent in products: rows, columns or depth.
struct ExtentUse {
  bool isRows = false, isColumns = false, isDepth = false;
};

class ModelLister {
public:
  /// `isNarrow`: columns are narrow ones in place of the usual.
  ModelLister(const KernelTextPtr &text, const Attempt &wanted, bool isNarrow = false)
      : text(text), wanted(wanted), isNarrow(isNarrow) {}

  ErrorOr<std::vector<KernelModel>> list() {
    TILEWRIGHT_ASSIGN(KernelModel usual, read({}, {}));
    if (usual.products.empty())
      return Error{"it has no products"};
    bool isChained = llvm::any_of(usual.products, [](auto &each) { return !each.behind.empty(); });
    if (isChained)
      findConditions(usual);
    else
      findDepth(usual);
    for (const Param &param : text->signature().params)
      if (param.kind == Param::Tune && !wanted.specialisation.consts.contains(param.name))
        addExtents(param, usual);
    findForms(usual);
    if (isChained || !interpolate())
      readAll({}, 0, plain);
    else if (depthParam)
      for (int64_t deeper = 2; deeper <= 2 * narrowness(usual); deeper *= 2)
        if (!interpolate(deeper, deeper <= narrowness(usual))) // the kernel may not take it
          break;
    readAll({}, 0, others);
    if (models.empty())
      return Error{"no tiles fit"};
    return std::move(models);
  }

  /// Whether some extent has narrow values beside the usual ones.
  bool canBeNarrow() const { return hasNarrow; }

private:
  using Tiles = std::vector<passes::Plan::Tile>;
  static constexpr int64_t kRowBytes = 128; ///< Of what is swizzled.

  /// Whether a tile can be multiplied: instructions have rows, or columns, in 64s.
  static bool isWorth(int64_t rows, int64_t columns) { return rows % 64 == 0 || columns % 64 == 0; }

  /// Reads the kernel with these tiles, in this form.
  ErrorOr<KernelModel> read(const Tiles &tiles, const Form &form) {
    frontend::Specialisation specialisation = wanted.specialisation;
    for (const passes::Plan::Tile &tile : tiles)
      specialisation.consts[tile.parameter] = tile.extent;
    TILEWRIGHT_ASSIGN(KernelModule module, KernelModule::lower(text, specialisation));
    std::string given;
    if (!form.isPlain()) {
      passes::Plan plan;
      plan.kernel = text->kernel;
      plan.target = wanted.config.passTarget();
      if (!form.positive.empty())
        plan.positive = {form.positive};
      plan.programs = form.programs;
      plan.parts = form.parts;
      plan.depth = form.depth;
      given = plan.str();
    }
    TILEWRIGHT_ASSIGN(passes::KernelFacts facts, module.facts(wanted.config.options(), given));
    TILEWRIGHT_ASSIGN(KernelModel model, readModel(module.kernel(), facts));
    model.tiles = tiles;
    if (!form.positive.empty())
      model.positive = {form.positive};
    model.programs = form.programs;
    model.parts = form.parts;
    model.depth = form.depth;
    return model;
  }

  static double workOf(const KernelModel &model) {
    double work = 0;
    for (const planner::LoopModel &loop : model.loops)
      work += loop.work.multiplies;
    return work;
  }

  /// Looks for a scalar whose being positive saves work: maxima of scaled values become scaled
  /// maxima.
  void findConditions(const KernelModel &usual) {
    for (const Param &param : text->signature().params)
      if (param.kind == Param::Scalar && param.dtype && frontend::isFloat(*param.dtype))
        if (ErrorOr<KernelModel> model = read({}, {.positive = param.name});
            model && workOf(*model) < workOf(usual))
          plain.insert(plain.begin(), {.positive = param.name});
  }

  /// A depth whose rows fill the lines of swizzled shared memory, where the kernel's is a number of
  /// its text.
  void findDepth(const KernelModel &usual) {
    const planner::ProductModel &product = usual.products.front();
    int64_t depth = kRowBytes * 8 / product.bits;
    if (product.k % depth == 0 || isStated())
      return;
    for (const Param &param : text->signature().params)
      if (param.kind == Param::Tune && useOf(param, usual).isDepth)
        return;
    for (Form &form : plain)
      form.depth = depth;
    if (!read({}, plain.front()))
      for (Form &form : plain)
        form.depth = 0;
  }

  /// Whether the user states the extent of some tile.
  bool isStated() const {
    return llvm::any_of(text->signature().params, [&](const Param &param) {
      return param.kind == Param::Tune && wanted.specialisation.consts.contains(param.name);
    });
  }

  /// Forms with tiles in parts, one after the other, if sums and the values added to them do not
  /// fit into registers at once. Also forms with several programs as one, for extents that are
  /// numbers of the text.
  void findForms(const KernelModel &usual) {
    if (llvm::all_of(usual.products, [](auto &product) { return product.isAdded; }))
      others.push_back({.parts = {{"rows", 2}}, .depth = plain.front().depth});
    if (rowsParam || columnsParam || isStated())
      return;
    constexpr int64_t kMostPrograms = 4, kMostExtent = 256;
    const planner::ProductModel &product = usual.products.front();
    for (int64_t rows = 1; rows <= kMostPrograms && rows * product.m <= kMostExtent; ++rows)
      for (int64_t columns = 1; columns <= kMostPrograms && columns * product.n <= kMostExtent;
           ++columns) {
        Form form{.depth = plain.front().depth};
        if (rows > 1)
          form.programs.push_back({"rows", rows});
        if (columns > 1)
          form.programs.push_back({"columns", columns});
        if (!form.isPlain() && isWorth(rows * product.m, columns * product.n))
          others.push_back(std::move(form));
      }
  }

  /// The role of an extent, found by reading the kernel with another value of it.
  ExtentUse useOf(const Param &param, const KernelModel &usual) {
    ExtentUse use;
    for (const ConstValue &candidate : param.candidates) {
      const auto *other = std::get_if<int64_t>(&candidate);
      if (!other || candidate == *param.defaultValue)
        continue;
      ErrorOr<KernelModel> changed = read({{param.name, *other}}, {});
      if (!changed) // the kernel may not take it
        continue;
      for (auto [a, b] : llvm::zip(usual.products, changed->products)) {
        use.isRows |= a.m != b.m;
        use.isColumns |= a.n != b.n;
        use.isDepth |= a.k != b.k;
      }
      break;
    }
    return use;
  }

  void addExtents(const Param &param, const KernelModel &usual) {
    ExtentUse use = useOf(param, usual);
    std::vector<int64_t> extents;
    hasNarrow |= !use.isRows && use.isColumns && use.isDepth;
    if (use.isRows)
      rowsParam = open.size();
    else if (use.isColumns && !use.isDepth)
      columnsParam = open.size();
    if (use.isRows)
      extents = {16, 32, 64, 128, 192, 256};
    else if (use.isColumns && use.isDepth)
      extents =
          isNarrow ? std::vector<int64_t>{32, 48} : std::vector<int64_t>{64, 80, 96, 128, 176};
    else if (use.isColumns)
      extents = {32, 64, 96, 128, 160, 192, 256};
    else if (use.isDepth)
      depthParam = open.size(), extents = {kRowBytes * 8 / usual.products.front().bits};
    if (!extents.empty())
      open.emplace_back(param.name, std::move(extents));
  }

  /// The tiles with these rows and columns, and of a depth that is a multiple of the usual; other
  /// extents have only one value.
  Tiles tilesOf(int64_t rows, int64_t columns, int64_t deeper) const {
    Tiles tiles;
    for (auto [number, extents] : llvm::enumerate(open)) {
      int64_t extent = extents.second.front() * (depthParam == number ? deeper : 1);
      tiles.push_back({extents.first, number == *rowsParam      ? rows
                                      : number == *columnsParam ? columns
                                                                : extent});
    }
    return tiles;
  }

  /// How many times as wide as the narrowest elements that are loaded the product's operands are:
  /// of 2 for weights of 8 bits, a stage of the usual depth has rows of half a line.
  static int64_t narrowness(const KernelModel &usual) {
    const planner::ProductModel &product = usual.products.front();
    int64_t bits = product.bits;
    for (const planner::StreamModel &stream : usual.streams)
      if (stream.loop == product.loop && stream.shape.size() > 1)
        bits = std::min(bits, 8 * stream.elementBytes);
    return product.bits / bits;
  }

  /// Interpolates models of many rows and columns from a few. Makes none and returns false if this
  /// does not agree with a lowering. Unless `anySize`, they are of few rows or columns: deep stages
  /// of others are too large.
  bool interpolate(int64_t deeper = 1, bool anySize = true) {
    if (!rowsParam || !columnsParam)
      return false;
    for (auto [number, extents] : llvm::enumerate(open))
      if (number != *rowsParam && number != *columnsParam && extents.second.size() > 1)
        return false;
    constexpr planner::TilePlane::Pair kSides = {64, 128};
    planner::TilePlane::Corners corners;
    for (size_t row : {0, 1})
      for (size_t column : {0, 1}) {
        ErrorOr<KernelModel> model =
            read(tilesOf(kSides[row], kSides[column], deeper), plain.front());
        if (!model)
          return false;
        corners[row][column] = std::move(*model);
      }
    auto plane = planner::TilePlane::through(corners, kSides, kSides);
    for (auto [rows, columns] : {std::pair(192, 160), {16, 256}}) {
      ErrorOr<KernelModel> model = read(tilesOf(rows, columns, deeper), plain.front());
      if (!plane || !model || *model != plane->at(rows, columns))
        return false;
    }
    constexpr int64_t kStep = 16, kMost = 256, kFew = 32, kSmall = 160;
    auto isSmall = [&](int64_t rows, int64_t columns) {
      return std::min(rows, columns) <= kFew && rows + columns <= kSmall;
    };
    for (int64_t rows = kStep; rows <= kMost; rows += kStep)
      for (int64_t columns = kStep; columns <= kMost; columns += kStep)
        if (isWorth(rows, columns) && (anySize || isSmall(rows, columns)))
          models.push_back(plane->at(rows, columns));
    return true;
  }

  /// Reads models for all extents that are still open, in some forms.
  void readAll(Tiles tiles, size_t next, llvm::ArrayRef<Form> forms) {
    if (forms.empty())
      return;
    if (next < open.size()) {
      for (int64_t extent : open[next].second) {
        tiles.push_back({open[next].first, extent});
        readAll(tiles, next + 1, forms);
        tiles.pop_back();
      }
      return;
    }
    if (rowsParam && columnsParam &&
        !isWorth(tiles[*rowsParam].extent, tiles[*columnsParam].extent))
      return;
    for (const Form &form : forms)
      if (ErrorOr<KernelModel> model = read(tiles, form))
        models.push_back(std::move(*model));
  }

  KernelTextPtr text;
  const Attempt &wanted;
  bool isNarrow, hasNarrow = false;
  std::vector<Form> plain = {{}}; ///< Of whole tiles of one program.
  std::vector<Form> others;
  std::vector<std::pair<std::string, std::vector<int64_t>>> open; ///< Extents by parameter.
  std::optional<size_t> rowsParam, columnsParam, depthParam; ///< Of `open`, if one is just that.
  std::vector<KernelModel> models;
};

} // namespace

std::string driver::whyStated(const KernelText &text, const Config &config) {
  if (text.isCta() || !config.planText.empty())
    return "its plan is stated";
  if (!config.findsPlan)
    return "none is wanted";
  if (config.warps || config.stages || config.minBlocks || config.cluster ||
      !config.cudaText.empty())
    return "its warps, stages, blocks or text are stated";
  return "";
}

std::string driver::whyNoSearch(const KernelText &text, const Config &config) {
  Config own = config;
  own.cudaText.clear(); // is a text of the plan that is found
  if (std::string stated = whyStated(text, own); !stated.empty())
    return stated;
  const Target *target = findTarget(config.passTarget());
  if (!target || !target->has(Feature::Wgmma))
    return "plans are found for GPUs with wgmma";
  return "";
}

PlanSearch::PlanSearch(const KernelTextPtr &text, const Attempt &given)
    : wanted(given), reason(whyNoSearch(*text, given.config)) {
  if (!reason.empty())
    return;
  passes::Plan stated;
  for (const std::string &entry : wanted.config.planEntries)
    (void)stated.set(entry); // has been read before
  for (const passes::Plan::Tile &tile : stated.tiles)
    wanted.specialisation.consts[tile.parameter] = tile.extent;
  ModelLister lister(text, wanted);
  ErrorOr<std::vector<KernelModel>> models = lister.list();
  if (!models) {
    reason = models.error().message;
    return;
  }
  const Target &target = *findTarget(wanted.config.passTarget());
  planner.emplace(std::move(*models), target, wanted.config.planEntries);
  if (!planner->empty() || !lister.canBeNarrow())
    return;
  // Two sums beside each other, as of a backward of attention, leave few registers for columns.
  if (ErrorOr<std::vector<KernelModel>> narrow =
          ModelLister(text, wanted, /*isNarrow=*/true).list())
    if (planner::Planner found(std::move(*narrow), target, wanted.config.planEntries);
        !found.empty())
      planner.emplace(std::move(found));
}

std::vector<planner::Ranked> PlanSearch::rank(const planner::Launch &launch) const {
  return planner ? planner->rank(launch) : std::vector<planner::Ranked>();
}

std::optional<planner::Prediction> PlanSearch::predictFor(const passes::Plan &plan,
                                                          const planner::Launch &launch) const {
  return planner ? planner->predictFor(plan, launch) : std::nullopt;
}

/// A plan without its condition, and without what it takes from it.
static passes::Plan withoutCondition(passes::Plan plan) {
  plan.positive.clear();
  for (passes::Plan::Loop &loop : plan.loops)
    loop.latePeak.reset();
  return plan;
}

std::vector<passes::Plan> PlanSearch::finalists(const planner::Launch &launch, size_t most) const {
  // With the same tiles: a reason against one plan mostly holds for the next.
  constexpr int64_t kAlike = 2;
  std::vector<passes::Plan> result, bare;
  for (planner::Ranked &ranked : rank(launch)) {
    if (result.size() == most)
      break;
    passes::Plan without = withoutCondition(ranked.plan);
    if (llvm::is_contained(bare, without)) // the better of the two is there
      continue;
    auto isAlike = [&](const passes::Plan &plan) {
      return std::tie(plan.tiles, plan.programs, plan.parts, plan.depth) ==
             std::tie(ranked.plan.tiles, ranked.plan.programs, ranked.plan.parts,
                      ranked.plan.depth);
    };
    if (llvm::count_if(result, isAlike) < kAlike) {
      result.push_back(std::move(ranked.plan));
      bare.push_back(std::move(without));
    }
  }
  return result;
}

Attempt driver::withPlans(const Attempt &wanted, llvm::ArrayRef<passes::Plan> plans) {
  std::vector<Attempt> attempts;
  for (const passes::Plan &plan : plans) {
    Attempt attempt = wanted;
    attempt.config.planText = plan.str();
    attempt.found.emplace();
    for (const passes::Plan::Tile &tile : plan.tiles) {
      attempt.specialisation.consts[tile.parameter] = tile.extent;
      attempt.found->push_back(tile.parameter);
    }
    attempts.push_back(std::move(attempt));
  }
  if (wanted.config.planEntries.empty()) { // which the passes alone would not keep
    attempts.push_back(wanted);
    attempts.back().config.findsPlan = false;
  }
  if (attempts.empty())
    return wanted;
  Attempt first = attempts.front();
  first.others.assign(attempts.begin() + 1, attempts.end());
  return first;
}

std::vector<std::string> PlanSearch::refused() const {
  return planner ? planner->refused() : std::vector<std::string>{reason};
}

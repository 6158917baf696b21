// The functions that the Python package calls.
#include "python/Kernel.h"

#include "frontend/Builtins.h"
#include "tilewright/Version.h"
#include "tools/driver/Builtins.h"
#include "tools/driver/GivenPlan.h"
#include "tools/driver/Gradient.h"
#include "tools/driver/Inspect.h"
#include "tools/driver/Measure.h"
#include "tools/driver/Plans.h"
#include "tools/driver/Resources.h"
#include "tools/driver/TunedPlans.h"
#include "tools/inspector/Inspection.h"
#include "tools/inspector/Page.h"

#include <tvm/ffi/container/array.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/string.h>

#include <unistd.h>

using namespace tilewright;
using namespace tilewright::python;
namespace ffi = tvm::ffi;

using Dict = ffi::Map<ffi::String, ffi::Any>;
using List = ffi::Array<ffi::Any>;

namespace {

//===- Kernels --------------------------------------------------------------------------------===//

frontend::Dtype dtypeOf(const ffi::Any &name) {
  std::string word = name.cast<std::string>();
  std::optional<frontend::Dtype> dtype = frontend::dtypeFromName(word);
  if (!dtype)
    raise({"there is no dtype `" + word + "`"});
  return *dtype;
}

/// `captured` has "dims" (names), "dtypes" (name to dtypes), "constants" (name to value) and
/// "aliases" (name to dtype).
frontend::Captured capturedOf(const Dict &captured) {
  frontend::Captured result;
  for (const ffi::Any &name : captured["dims"].cast<List>())
    result.dims.push_back(name.cast<std::string>());
  for (const auto &[name, allowed] : captured["dtypes"].cast<Dict>()) {
    frontend::DtypeVariable variable{name, {}};
    for (const ffi::Any &dtype : allowed.cast<List>())
      variable.allowed.push_back(dtypeOf(dtype));
    result.dtypes.push_back(std::move(variable));
  }
  for (const auto &[name, value] : captured["constants"].cast<Dict>())
    result.constants.emplace_back(name, constValue(value));
  for (const auto &[name, dtype] : captured["aliases"].cast<Dict>())
    result.constants.emplace_back(name, dtypeOf(dtype));
  return result;
}

/// A plan as [file, text, entry …]; "none" for none.
void setPlan(driver::Config &config, const List &words) {
  if (words.size() == 2 && words[1].cast<std::string>() == driver::kNoPlan) {
    config.findsPlan = false;
    return;
  }
  std::vector<std::string> entries;
  for (size_t i = 2; i < words.size(); ++i)
    entries.push_back(words[i].cast<std::string>());
  orRaise(driver::statePlan(config, words[1].cast<std::string>(), entries,
                            words[0].cast<std::string>()),
          kCompileError);
}

driver::Config::Tuned tunedOf(const std::string &word) {
  if (word == "auto")
    return driver::Config::Tuned::Auto;
  if (word != "none")
    raise({"`tune` is \"auto\" or \"none\", not \"" + word + "\""});
  return driver::Config::Tuned::None;
}

/// `target`, `warps`, `stages`, `min_blocks`, `cluster`, `plan`, `tune`; those that are not given
/// stay open.
driver::Config configOf(const Dict &given) {
  driver::Config config;
  for (const auto &[name, value] : given) {
    std::string word = name;
    int64_t *field = word == "warps"        ? &config.warps
                     : word == "stages"     ? &config.stages
                     : word == "min_blocks" ? &config.minBlocks
                     : word == "cluster"    ? &config.cluster
                                            : nullptr;
    if (word == "target")
      config.target = value.cast<std::string>();
    else if (word == "plan")
      setPlan(config, value.cast<List>());
    else if (word == "tune")
      config.tuned = tunedOf(value.cast<std::string>());
    else if (field)
      *field = value.cast<int64_t>();
  }
  return config;
}

Kernel makeKernel(ErrorOr<driver::KernelTextPtr> loaded, const Dict &given) {
  driver::KernelTextPtr text = orRaise(std::move(loaded), kCompileError);
  driver::Config config = configOf(given);
  if (!config.planText.empty() ||
      !config.planEntries.empty()) { // errors in the plan are found before there is a call
    driver::Settings tiles;
    std::string file = given["plan"].cast<List>()[0].cast<std::string>();
    orRaise(driver::bindTiles(*text, config, tiles, file), kCompileError);
  }
  return Kernel(ffi::make_object<KernelObj>(std::move(text), std::move(config)));
}

Kernel loadText(const ffi::String &text, const ffi::String &file, const ffi::String &name,
                const Dict &captured, const Dict &config) {
  return makeKernel(driver::loadKernelText(text, file, std::string(name), capturedOf(captured)),
                    config);
}

Kernel loadNamed(const ffi::String &name, const Dict &config) {
  return makeKernel(driver::loadKernel(std::string(name)), config);
}

/// `functions` has [name that the kernel leaves open, text, file, function, captured, dtype] each.
Kernel loadBorrowing(const ffi::String &name, const List &functions, const Dict &config) {
  std::vector<frontend::Borrowed> borrowed;
  for (const ffi::Any &each : functions) {
    List words = each.cast<List>();
    borrowed.push_back(
        {words[0].cast<std::string>(),
         orRaise(driver::loadFunctions(words[1].cast<std::string>(), words[2].cast<std::string>(),
                                       capturedOf(words[4].cast<Dict>())),
                 kCompileError),
         words[3].cast<std::string>(), dtypeOf(words[5])});
  }
  return makeKernel(driver::loadBuiltin(std::string(name), borrowed), config);
}

std::vector<std::string> namesOf(const List &list) {
  std::vector<std::string> names;
  for (const ffi::Any &name : list)
    names.push_back(name.cast<std::string>());
  return names;
}

/// The gradient of a kernel by inputs, of outputs; empty lists stand for all. It takes the outputs
/// `stored`.
Kernel makeGradient(const Kernel &forward, const List &wrt, const List &given, const List &stored,
                    const Dict &config) {
  driver::GradientOf of{namesOf(wrt), namesOf(given), namesOf(stored)};
  return makeKernel(driver::gradientOf(forward->text(), of), config);
}

const char *kindName(frontend::Param::Kind kind) {
  switch (kind) {
  case frontend::Param::Tensor:
    return "tensor";
  case frontend::Param::Scalar:
    return "scalar";
  case frontend::Param::Const:
    return "const";
  case frontend::Param::Tune:
    return "tune";
  }
  return "";
}

/// Name, docstring and parameters of a kernel.
Dict signature(const Kernel &kernel) {
  const frontend::Signature &signature = kernel->signature();
  List params;
  for (const frontend::Param &param : signature.params) {
    Dict entry{{"name", ffi::String(param.name)},
               {"kind", ffi::String(kindName(param.kind))},
               {"optional", param.optional},
               {"written", param.written},
               {"type", ffi::String(param.kind == frontend::Param::Const ? param.constType
                                    : param.dtype ? frontend::dtypeName(*param.dtype).str()
                                                  : param.dtypeVariable)}};
    if (param.defaultValue)
      entry.Set("default", toAny(*param.defaultValue));
    params.push_back(entry);
  }
  return {{"name", ffi::String(signature.name)},
          {"doc", ffi::String(signature.doc)},
          {"params", params}};
}

/// Makes a function of a kernel's arguments, with its constants bound. `how` says what it does:
/// `call`, `prepare` or `reference`.
ffi::Function bindKernel(const Kernel &kernel, const Dict &settings, const ffi::String &how) {
  std::string word = how;
  auto action = word == "call"      ? &KernelObj::call
                : word == "prepare" ? &KernelObj::prepare
                                    : &KernelObj::interpret;
  return ffi::Function::FromPacked(
      [kernel, action, bound = settingsOf(kernel->signature(), settings)](
          ffi::PackedArgs args, ffi::Any *) { (kernel.get()->*action)(Arguments(args), bound); });
}

//===- Inspection -----------------------------------------------------------------------------===//

using Inspection = ffi::Any (*)(const Kernel &, Subject &);

/// Without NVRTC there is no code, but there are the decisions of the passes.
ffi::Any explain(const Kernel &kernel, Subject &subject) {
  try {
    return ffi::String(
        orRaise(driver::explain(kernel->text(), kernel->compiled(subject)), kCompileError));
  } catch (const ffi::Error &) {
    return ffi::String(orRaise(driver::explain(kernel->text(), subject.wanted), kCompileError));
  }
}

ffi::Any cuda(const Kernel &kernel, Subject &subject) {
  return ffi::String(orRaise(driver::cudaListing(kernel->text(), subject.wanted), kCompileError));
}

ffi::Any ptx(const Kernel &kernel, Subject &subject) {
  return ffi::String(orRaise(driver::ptxListing(kernel->text(), kernel->compiled(subject).attempt),
                             kCompileError));
}

/// The data of the inspector's page.
ffi::Any pageData(const Kernel &kernel, Subject &subject) {
  using llvm::json::Object;
  inspector::Subject shown{kernel->text(), subject.wanted, subject.launch, "", subject.time};
  std::vector<Object> variants(1, orRaise(inspector::variantOf(shown), kCompileError));
  return ffi::String(inspector::embeddable(
      inspector::inspectionOf(*kernel->text(), subject.launch, std::move(variants))));
}

/// The page for such data.
ffi::String pageOf(const ffi::String &data) {
  llvm::Expected<llvm::json::Value> parsed = llvm::json::parse(std::string(data));
  if (!parsed)
    raise({"the data of a page is no JSON: " + llvm::toString(parsed.takeError())});
  return inspector::pageOf(std::move(*parsed));
}

List strings(const std::vector<std::string> &texts) {
  List list;
  for (const std::string &text : texts)
    list.push_back(ffi::String(text));
  return list;
}

ffi::Any report(const Kernel &kernel, Subject &subject) {
  const driver::Compiled &compiled = kernel->compiled(subject);
  driver::Resources resources = driver::resourcesOf(*kernel->text(), compiled);
  Dict result{{"kernel", ffi::String(kernel->text()->kernel)},
              {"target", ffi::String(compiled.attempt.config.target)},
              {"configuration", ffi::String(resources.configuration)},
              {"threads", int64_t(resources.threads)},
              {"shared_bytes", int64_t(resources.sharedBytes)},
              {"notes", strings(compiled.kernel.compiled().performanceNotes)},
              {"rejected", strings(compiled.rejected)}};
  size_t plan = compiled.attempt.plan;
  if (std::string words = driver::describePlan(*kernel->text(), plan); !words.empty())
    result.Set("plan", ffi::String(words));
  if (!resources.hasMachineCode)
    return result;
  result.Set("registers", int64_t(resources.registers));
  result.Set("spill_store_bytes", int64_t(resources.spillStoreBytes));
  result.Set("spill_load_bytes", int64_t(resources.spillLoadBytes));
  result.Set("local_bytes", int64_t(resources.localBytes));
  result.Set("programs_per_sm", resources.occupancy.programs);
  result.Set("threads_per_sm", resources.occupancy.threads);
  result.Set("occupancy_limit", ffi::String(resources.occupancy.limit));
  return result;
}

/// Makes a function of (settings, target, arguments …) that returns `what` of a kernel.
ffi::Function inspectKernel(const Kernel &kernel, const ffi::String &what) {
  std::string word = what;
  Inspection inspection = word == "explain" ? explain
                          : word == "cuda"  ? cuda
                          : word == "ptx"   ? ptx
                          : word == "page"  ? pageData
                                            : report;
  return ffi::Function::FromPacked([kernel, inspection](ffi::PackedArgs args, ffi::Any *result) {
    driver::Settings settings = settingsOf(kernel->signature(), args[0].cast<Dict>());
    Arguments arguments(args.Slice(2));
    Subject subject = kernel->subject(arguments, settings, args[1].cast<std::string>());
    *result = inspection(kernel, subject);
  });
}

/// Makes a function of (settings, target, count, arguments …) that returns the best plans:
/// alternately a text and microseconds.
ffi::Function finalists(const Kernel &kernel) {
  return ffi::Function::FromPacked([kernel](ffi::PackedArgs args, ffi::Any *result) {
    driver::Settings settings = settingsOf(kernel->signature(), args[0].cast<Dict>());
    Arguments arguments(args.Slice(3));
    List list;
    for (const planner::Ranked &ranked : kernel->plans(
             arguments, settings, args[1].cast<std::string>(), size_t(args[2].cast<int64_t>()))) {
      list.push_back(ffi::String(ranked.plan.str()));
      list.push_back(ranked.predicted.total);
    }
    *result = list;
  });
}

/// Makes a function of (settings, stamps, detail, arguments …) that returns what is printed of a
/// timeline, and its file.
ffi::Function timeline(const Kernel &kernel) {
  return ffi::Function::FromPacked([kernel](ffi::PackedArgs args, ffi::Any *result) {
    driver::Settings settings = settingsOf(kernel->signature(), args[0].cast<Dict>());
    std::optional<TimelineDetail> detail = findTimelineDetail(args[2].cast<std::string>());
    if (!detail)
      raise({"detail is all, slots or tiles, not '" + args[2].cast<std::string>() + "'"});
    Arguments arguments(args.Slice(3));
    auto [text, file] = kernel->timeline(arguments, settings, args[1].cast<int64_t>(), *detail);
    *result = List{ffi::String(text), ffi::String(file)};
  });
}

//===- The language ---------------------------------------------------------------------------===//

/// The built-in functions: [name, parameters, what it does] each.
List builtinFunctions() {
  List result;
  for (const frontend::Builtin &builtin : frontend::builtins())
    result.push_back(List{ffi::String(builtin.name.str()), ffi::String(builtin.params.str()),
                          ffi::String(builtin.doc.str())});
  return result;
}

/// Every word that the language defines.
List words() {
  List result;
  for (llvm::StringRef word : frontend::definedNames())
    result.push_back(ffi::String(word.str()));
  return result;
}

List builtinKernels() {
  std::vector<std::string> names;
  for (const driver::BuiltinFile &file : driver::builtinFiles())
    for (std::string &name : driver::kernelNames(file.text))
      names.push_back(std::move(name));
  return strings(names);
}

/// How many GPUs the driver reports; 0 without a driver.
int64_t gpuCount() {
  ErrorOr<const runtime::Driver *> driver = runtime::Driver::get();
  return driver ? int64_t((*driver)->devices().size()) : 0;
}

//===- The tuner ------------------------------------------------------------------------------===//

void loadTuned(const ffi::String &path) { orRaise(driver::loadTuned(path)); }

/// The words that start a process which calls `measure`.
void setMeasuringProgram(const List &words) {
  std::vector<std::string> program;
  for (const ffi::Any &word : words)
    program.push_back(word.cast<std::string>());
  driver::setMeasuringProgram(std::move(program));
}

int64_t measure(const ffi::String &path, const ffi::String &leftOut) {
  return driver::measureContest(path, leftOut, STDOUT_FILENO);
}

//===- The package ----------------------------------------------------------------------------===//

ffi::String versionOf() { return version(); }
ffi::String commitOf() { return commit(); }

} // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(version, versionOf)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(commit, commitOf)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(load, loadText)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(load_named, loadNamed)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(gradient, makeGradient)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(load_borrowing, loadBorrowing)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(signature, signature)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(bind, bindKernel)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(inspector, inspectKernel)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(page, pageOf)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(finalists, finalists)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(timeline, timeline)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(builtin_functions, builtinFunctions)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(words, words)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(builtin_kernels, builtinKernels)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(gpu_count, gpuCount)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(load_tuned, loadTuned)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(set_measuring_program, setMeasuringProgram)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(measure, measure)

//===- Bundle.cpp - Kernels that were compiled before ---------------------===//

#include "tilewright/Bundle.h"

#include "cpp/Arguments.h"
#include "runtime/Cache.h"
#include "runtime/Kernel.h"
#include "support/Files.h"

using namespace tilewright;

struct Bundle::State {
  runtime::Kernel kernel;
};

Bundle::Bundle(std::shared_ptr<State> state) : state(std::move(state)) {}

static ErrorOr<runtime::Kernel> unpack(const std::string &path) {
  TILEWRIGHT_ASSIGN(std::string file, readFile(path));
  TILEWRIGHT_ASSIGN(runtime::Archive archive, runtime::Archive::unpack(file));
  std::optional<std::string> description = archive.take("kernel.json");
  std::optional<runtime::CompiledText> text = runtime::takeCompiled(archive);
  if (!description || !text)
    return Error{"it does not hold a compiled kernel"};
  TILEWRIGHT_ASSIGN(runtime::KernelSource source, runtime::kernelSourceFromJson(*description));
  TILEWRIGHT_ASSIGN(runtime::CompiledKernel compiled,
                    runtime::describeCompiled(source, std::move(*text)));
  return runtime::Kernel::fromCompiled(std::move(source), std::move(compiled));
}

ErrorOr<Bundle> Bundle::load(const std::string &path) {
  ErrorOr<runtime::Kernel> kernel = unpack(path);
  if (!kernel)
    return Error{"cannot load `" + path + "`: " + kernel.error().message};
  return Bundle(std::make_shared<State>(std::move(*kernel)));
}

const std::string &Bundle::name() const { return state->kernel.source().entry; }
const std::string &Bundle::target() const { return state->kernel.source().target; }

Status Bundle::launch(Stream stream, const std::vector<Argument> &arguments) const {
  TILEWRIGHT_ASSIGN(LoweredArguments lowered, lowerArguments(arguments, /*keepAbsent=*/false));
  return state->kernel.launch(stream, lowered.list);
}

Status Bundle::prepare(int device) const { return state->kernel.prepare(device); }

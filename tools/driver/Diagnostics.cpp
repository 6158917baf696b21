#include "tools/driver/Diagnostics.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace tilewright;
using namespace tilewright::driver;

struct Diagnostics::State {
  explicit State(mlir::MLIRContext &context) : context(context), stream(rendered) {}

  mlir::MLIRContext &context;
  std::string rendered;
  llvm::raw_string_ostream stream;
  llvm::SourceMgr sources;
  std::unique_ptr<mlir::SourceMgrDiagnosticHandler> printer;
  mlir::DiagnosticEngine::HandlerID remarkHandler = 0;
  std::vector<std::string> remarks;

  void addRemark(const mlir::Diagnostic &remark) {
    std::string text = remark.str();
    if (auto place = remark.getLocation()->findInstanceOf<mlir::FileLineColLoc>())
      text = place.getFilename().str() + ":" + std::to_string(place.getLine()) + ": " + text;
    if (std::find(remarks.begin(), remarks.end(), text) == remarks.end())
      remarks.push_back(std::move(text));
  }
};

Diagnostics::Diagnostics(mlir::MLIRContext &context, std::string_view file, std::string_view text)
    : state(std::make_unique<State>(context)) {
  state->sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, file),
                                    llvm::SMLoc());
  state->printer =
      std::make_unique<mlir::SourceMgrDiagnosticHandler>(state->sources, &context, state->stream);
  // Asked before the printer, since it is registered later.
  state->remarkHandler =
      context.getDiagEngine().registerHandler([state = state.get()](mlir::Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() != mlir::DiagnosticSeverity::Remark)
          return mlir::failure();
        state->addRemark(diagnostic);
        return mlir::success();
      });
}

Diagnostics::~Diagnostics() { state->context.getDiagEngine().eraseHandler(state->remarkHandler); }

Error Diagnostics::error(std::string_view fallback) const {
  std::string text = state->stream.str();
  while (!text.empty() && text.back() == '\n')
    text.pop_back();
  return {text.empty() ? std::string(fallback) : text};
}

void Diagnostics::clear() {
  state->stream.flush();
  state->rendered.clear();
}

bool Diagnostics::empty() const { return state->stream.str().empty(); }

const std::vector<std::string> &Diagnostics::remarks() const { return state->remarks; }

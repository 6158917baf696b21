// Runs passes on textual IR: `mlir-opt` with Tilewright's dialects and passes.
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

#include "ir/tile/Tile.h"
#include "passes/Passes.h"
#include "passes/gradient/GradientPasses.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<mlir::arith::ArithDialect, mlir::func::FuncDialect, mlir::math::MathDialect,
                  mlir::scf::SCFDialect, tilewright::tile::TileDialect, tilewright::cta::CtaDialect,
                  tilewright::cuda::CudaDialect>();
  mlir::registerTransformsPasses();
  tilewright::passes::registerTilewrightPasses();
  tilewright::passes::registerGradientPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Tilewright pass driver\n", registry));
}

//===- GraphEnds.cpp - When captured graphs are gone ----------------------===//

#include "runtime/GraphEnds.h"

namespace tilewright::runtime {

/// What a graph holds; destroyed with the last that does.
struct GraphEnds::Token {
  std::shared_ptr<Gone> gone; ///< Null: no graph took the token.
  StreamKey key;

  static void destroy(void *pointer) {
    std::unique_ptr<Token> token(static_cast<Token *>(pointer));
    if (!token->gone)
      return;
    std::lock_guard lock(token->gone->mutex);
    token->gone->keys.push_back(token->key);
  }
};

void GraphEnds::watch(const Driver &driver, Stream stream, const StreamKey &key) {
  const DriverTable &api = driver.api();
  int status = 0;
  uint64_t number = 0;
  GraphHandle graph = nullptr;
  if (!api.userObjectCreate || !api.userObjectRelease || !api.graphRetainUserObject ||
      api.streamGetCaptureInfo(stream, &status, &number, &graph, nullptr, nullptr) !=
          kDriverSuccess)
    return;
  auto *token = new Token{gone, key};
  UserObjectHandle object = nullptr;
  if (api.userObjectCreate(&object, token, Token::destroy, 1, kUserObjectNoDestructorSync) !=
      kDriverSuccess) {
    delete token;
    return;
  }
  if (api.graphRetainUserObject(graph, object, 1, kGraphUserObjectMove) != kDriverSuccess) {
    token->gone = nullptr;
    api.userObjectRelease(object, 1);
  }
}

std::vector<StreamKey> GraphEnds::take() {
  std::lock_guard lock(gone->mutex);
  return std::exchange(gone->keys, {});
}

} // namespace tilewright::runtime

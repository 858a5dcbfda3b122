// /v1/store: whether what people and plugins want kept can be stored now.
#include "json/object_text.h"
#include "rest/api.h"
#include "transport/json_answer.h"

namespace host::rest {

boost::asio::awaitable<void> Api::show_store(const Asked& asked) {
  const std::string fault = services_.desk ? services_.desk->fault() : std::string();
  std::string out = "{";
  json::add_bool(out, "kept", services_.desk != nullptr);
  json::add_bool(out, "failing", !fault.empty());
  if (!fault.empty()) json::add_text(out, "error", fault);
  transport::answer_json(asked.exchange, 200, out + "}");
  co_return;
}

}  // namespace host::rest

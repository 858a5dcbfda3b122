// What a plugin asks of the host's services, through the desk and the services themselves. Where a
// request goes out its words are read, and no further. The input is requests: which service, whose
// call, two bytes of length, and the body. The store's requests are missing: clang 14 cannot
// compile the coroutines on their road for a sanitizer.
#include <sys/mman.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "base/log.h"
#include "base/unique_fd.h"
#include "config/config.h"
#include "json/json.h"
#include "metrics/page.h"
#include "outbound/gate.h"
#include "outbound/origin.h"
#include "outbound/request_check.h"
#include "plugin/services/attachments.h"
#include "plugin/services/call_tool.h"
#include "plugin/services/desk.h"
#include "plugin/services/http.h"
#include "plugin/services/metrics.h"
#include "tool/definition/tool.h"

namespace {

using namespace host;
using namespace host::plugin;

constexpr ServiceId kServices[] = {ServiceId::CallTool,       ServiceId::HttpRequest,
                                   ServiceId::ReportMetrics,  ServiceId::AttachmentList,
                                   ServiceId::AttachmentRead, static_cast<ServiceId>(77),
                                   ServiceId::AttachmentOpen};
constexpr const char* kGranted = "https://example.com";

void must(bool held) {
  if (!held) std::abort();
}

config::Plugins granted() {
  config::Plugins plugins;
  plugins.by_name["fuzzed"].net = {kGranted};
  return plugins;
}

// Nothing of it is made anew for each input but what an input changes.
class Services {
 public:
  Services() {
    log::setup(log::Level::Error, log::Format::Text);
    attachments_.offer_in(*table_);
    http_.offer_in(*table_);
    CallToolService(&run).offer_in(*table_);
  }

  void hear(std::string_view input) {
    MetricsService metrics(io_.get_executor());  // keeps what it is told
    metrics.offer_in(*table_);
    std::set<std::uint64_t> answers;
    bool closed = false;
    const auto answered = [&](std::uint64_t id, const HostAnswer& answer) {
      must(!closed && answers.insert(id).second);
      check(id, answer);
    };
    const auto desk = std::make_shared<plugin::Desk>(
        "fuzzed", table_, [this](std::uint64_t call) { return call_of(call); }, answered);
    std::uint64_t asked = 0;
    std::size_t reports = 0;
    while (input.size() >= 4) {
      const auto at = [&](std::size_t i) { return static_cast<std::uint8_t>(input[i]); };
      const std::size_t length = std::min<std::size_t>(at(2) | at(3) << 8u, input.size() - 4);
      const ServiceId service = kServices[at(0) % std::size(kServices)];
      if (service == ServiceId::ReportMetrics) ++reports;
      must(desk->take({++asked, at(1) % 4u, service, std::string(input.substr(4, length))})
               .has_value());
      input.remove_prefix(4 + length);
    }
    // All is answered but the reports, which rest until their time.
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(5);
    while (desk->open() > reports && std::chrono::steady_clock::now() < until) poll();
    must(desk->open() <= reports);
    for (const std::uint64_t call : {0, 1, 2, 3}) desk->call_ended(call);
    must(desk->open() == 0 && answers.size() == asked);
    closed = true;
    desk->close();
    poll();
    metrics::Page page;
    metrics.add_to(page);
    must(page.take().find("toolpost_plugin_metrics_dropped_total") != std::string::npos);
  }

 private:
  static void run(const std::shared_ptr<tool::Call>& call, const CallToolService::Done& done) {
    must(call->arguments.root().IsObject() && call->passport->origin == tool::Origin::Plugin);
    const auto& outer = call->passport->caller;
    must(outer && outer->depth < tool::kMostNested);
    tool::CallResult result;
    result.content = R"({"type":"text","text":"called"})";
    done(std::move(result));
  }

  static void check(std::uint64_t id, const HostAnswer& answer) {
    must(answer.status == TP_OK || !answer.bytes.empty());
    must(answer.json.empty() || json::parse(answer.json).has_value());
    std::string frame;
    write_host_answer(frame, id, answer);
    FrameReader reader;
    const auto room = reader.prepare();
    must(frame.size() <= room.size());
    std::copy(frame.begin(), frame.end(), room.begin());
    reader.commit(frame.size());
    const auto read = reader.next();
    must(read.has_value() && read->has_value());
    const auto same = read_host_answer(**read);
    must(same && same->status == answer.status && same->bytes == answer.bytes);
  }

  // 1: a tool's, with a session and an attachment; 2: a resource's; else none.
  std::shared_ptr<tool::Invocation> call_of(std::uint64_t number) const {
    return number == 1 ? tool_call_ : number == 2 ? resource_call_ : nullptr;
  }
  static std::shared_ptr<tool::Invocation> make_call(tool::Function function) {
    tool::Declaration declaration;
    declaration.name = "fuzzed";
    declaration.description = "Asks for services";
    declaration.input_schema = R"({"type":"object"})";
    auto call = std::make_shared<tool::Invocation>();
    call->tool = *tool::Tool::make(std::move(declaration), 0);
    call->function = function;
    const int file = ::memfd_create("attachment", MFD_CLOEXEC);
    must(::write(file, "0123456789", 10) == 10);
    auto given = std::make_shared<tool::CallContext>();
    given->attachments = {{"a", "a.txt", "text/plain", 10, std::make_shared<UniqueFd>(file)}};
    auto passport = std::make_shared<tool::Passport>();
    passport->call = "c";
    passport->who.session = function == tool::Function::Call ? "s" : "";
    passport->given = std::move(given);
    call->passport = std::move(passport);
    return call;
  }

  void poll() {
    io_.restart();
    io_.run_for(std::chrono::microseconds(50));
  }

  boost::asio::io_context io_{1};
  outbound::Gate gate_{io_.get_executor(), {}};
  const std::shared_ptr<ServiceTable> table_ = std::make_shared<ServiceTable>();
  AttachmentService attachments_{io_.get_executor()};
  HttpService http_{gate_, granted(), 32};
  const std::shared_ptr<tool::Invocation> tool_call_ = make_call(tool::Function::Call);
  const std::shared_ptr<tool::Invocation> resource_call_ = make_call(tool::Function::ReadResource);
};

}  // namespace

// The way out, as far as it needs no network.
namespace host::outbound {

class Gate::Impl {};

Gate::Gate(boost::asio::any_io_executor, Settings) {}
Gate::~Gate() = default;

void Gate::send(Request request, Done done) {
  const auto sound = check_request(request);
  const auto origin = origin_of(request.url);
  const auto refuse = [&done](const Error& error) { done(error); };
  if (!sound) return refuse(sound.error());
  if (!origin) return refuse(origin.error());
  if (!request.allowed.allows(*origin)) return refuse({ErrorKind::Denied, "not granted"});
  must(origin->text() == kGranted &&
       !lines_of(request.headers).empty() == !request.headers.empty());
  Response response;
  response.status = 200;
  response.url = request.url;
  response.headers = request.headers;
  response.body = request.body;
  done(std::move(response));
}

}  // namespace host::outbound

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Services services;
  services.hear({reinterpret_cast<const char*>(data), size});
  return 0;
}

#include "cli/operate/upstream_login.h"

#include <chrono>
#include <iostream>
#include <string>

#include "app/orders/upstream_orders.h"
#include "cli/access/plugin_orders.h"
#include "cli/output/complaint.h"
#include "cli/output/exit_code.h"
#include "cli/output/line.h"
#include "cli/output/text_in.h"
#include "json/json.h"

namespace host::cli {
namespace {

// To find the authorization server, and to register the host there.
constexpr std::chrono::seconds kToBegin{120};
// Longer than a login lasts, so that the host says that it has ended.
constexpr std::chrono::seconds kForTheBrowser{660};

void print_instructions(const json::Value& begun) {
  const std::string issuer = text_in(begun, "issuer");
  const std::string former = text_in(begun, "former_issuer");
  Line(std::cout) << "The authorization server is " << issuer;
  if (!former.empty() && former != issuer) {
    Line(std::cout) << "Attention: the last login was at " << former
                    << ". The upstream names a different authorization server now.";
  }
  Line(std::cout) << "Open this URL in a browser, and agree there:";
  Line(std::cout) << text_in(begun, "url");
  Line(std::cerr) << "toolpost: waiting until the browser comes to " << text_in(begun, "callback")
                  << ", until " << text_in(begun, "expires")
                  << ". If it runs on a different machine, request the address at which it ends "
                     "here, for example with curl.";
  std::cout.flush();
}

int finish_login(const CommandLine& line, store::Store& store, const store::HostRecord& host,
                 const std::string& begin) {
  const auto begun = json::parse(begin);
  if (!begun) return complain(begun.error().within(host_in_words(host)));
  if (line.json) {
    std::cout << begin << std::endl;
  } else {
    print_instructions(begun->root());
  }
  const std::string about = line.name + " " + std::string(json::find_text(begun->root(), "id"));
  const auto status = give_order(store, host, app::kUpstreamLoginWait, about, kForTheBrowser);
  if (!status) return complain(status.error().within(host_in_words(host)));
  if (line.json) {
    std::cout << *status << '\n';
  } else {
    Line(std::cout) << "the host at " << host.address << " is logged in at " << line.name;
  }
  return kExitOk;
}

}  // namespace

int log_in_at_upstream(const CommandLine& line, store::Store& store,
                       const std::vector<store::HostRecord>& hosts) {
  int exit_code = kExitFailure;
  for (const store::HostRecord& host : hosts) {
    const HostAnswer begun =
        give_orders(store, {host}, app::kUpstreamLogin, line.name, kToBegin).front();
    if (begun.answer) return finish_login(line, store, host, *begun.answer);
    exit_code = complain(begun.answer.error().within(host_in_words(host)));
    // A host that has taken the order can still begin the login, unless it has ended or has no such
    // upstream.
    const ErrorKind kind = begun.answer.error().kind;
    const bool cannot = kind == ErrorKind::Unavailable || kind == ErrorKind::NotFound;
    if (!begun.was_ignored && !cannot) break;
  }
  return exit_code;
}

}  // namespace host::cli

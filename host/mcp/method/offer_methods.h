// The methods for resources, prompts and completion. The functions of this header are called on the
// I/O thread.
#pragma once

#include "mcp/method/call_runner.h"
#include "mcp/method/pages.h"
#include "mcp/peer/request.h"

namespace host::mcp {

class OfferMethods final : private Callee {
 public:
  OfferMethods(const Services& services, const ServerInfos& infos, const Pages& pages,
               CallRunner& runner, Announcer& announcer)
      : services_(services), infos_(infos), pages_(pages), runner_(runner), announcer_(announcer) {}

  Reply list_resources(const Request& request) const;
  Reply list_templates(const Request& request) const;
  Reply list_prompts(const Request& request) const;

  awaitable<Reply> read_resource(Request& request);
  awaitable<Reply> get_prompt(Request& request);
  awaitable<Reply> complete(Request& request);

  // The host serves resources/subscribe and resources/unsubscribe only in protocol versions with
  // sessions. The session's settings contain the list of resources to which the session's client
  // has subscribed.
  Reply subscribe(const Request& request) const;
  Reply unsubscribe(const Request& request) const;

 private:
  awaitable<Result<tool::CallResult>> run(tool::Call& call) override;
  std::string answer(const Request& request, const tool::Call& call,
                     const tool::CallResult& result) const override;
  Reply failure(const Request& request, const tool::Call& call, const Error& error) const override;
  Reply no_such_resource(const Request& request, std::string_view uri, std::string message) const;

  const Services& services_;
  const ServerInfos& infos_;
  const Pages& pages_;
  CallRunner& runner_;
  Announcer& announcer_;
};

}  // namespace host::mcp

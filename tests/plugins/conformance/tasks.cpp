#include "tasks.h"

#include <chrono>
#include <thread>

using toolpost::Context;

namespace {

struct Confirmation {
  bool confirm;
  TOOLPOST_FIELDS(Confirmation, TOOLPOST_FIELD(confirm))
};
struct Name {
  std::string name;
  TOOLPOST_FIELDS(Name, TOOLPOST_FIELD(name))
};

// Ends early, by an exception, once the call is cancelled.
void work(std::chrono::duration<double> time, const Context& call) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
    call.check();
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

}  // namespace

std::string greet(const Greeted& args) {
  return "Hello, " + args.name + "!";
}

std::string slow_compute(const SlowWork& args, Context& call) {
  work(std::chrono::duration<double>(args.seconds), call);
  return "Computed " + (args.label.empty() ? "it" : args.label);
}

std::string failing_job(Context& call) {
  work(std::chrono::seconds(1), call);
  throw toolpost::Error("this job always fails");
}

std::string protocol_error_job(Context& call) {
  work(std::chrono::milliseconds(200), call);
  throw toolpost::Fault("this job breaks");
}

std::string confirm_delete(const Doomed& args, Context& call) {
  const auto answer = call.elicit<Confirmation>("confirm", "Delete " + args.filename + "?");
  return answer && answer->confirm ? "Deleted " + args.filename : "Kept " + args.filename;
}

std::string multi_input(Context& call) {
  toolpost::Round round(call);
  const auto name = round.elicit<Name>("name", "What is your name?");
  const auto confirmation = round.elicit<Confirmation>("confirm", "Are you sure?");
  round.wait();
  const bool sure = *confirmation && (*confirmation)->confirm;
  return (*name ? (*name)->name : "Somebody") + (sure ? " is sure" : " is not sure");
}

std::string tool_with_task(Context& call) {
  const auto answer = call.elicit<Name>("user_name", "What is your name?");
  work(std::chrono::milliseconds(300), call);
  return "Worked for " + (answer ? answer->name : "a stranger");
}

// Tools whose calls become tasks, and one whose calls do not.
#pragma once

#include <string>

#include <toolpost/toolpost.hpp>

struct Greeted {
  std::string name;
  TOOLPOST_FIELDS(Greeted, TOOLPOST_FIELD(name, "Whom to greet"))
};
struct SlowWork {
  double seconds = 1;
  std::string label;
  TOOLPOST_FIELDS(SlowWork, TOOLPOST_FIELD(seconds, "How long to take"),
                  TOOLPOST_FIELD(label, "What to call it", toolpost::defaulted))
};
struct Doomed {
  std::string filename;
  TOOLPOST_FIELDS(Doomed, TOOLPOST_FIELD(filename, "What to delete"))
};

std::string greet(const Greeted& args);
std::string slow_compute(const SlowWork& args, toolpost::Context& call);
std::string failing_job(toolpost::Context& call);
std::string protocol_error_job(toolpost::Context& call);
std::string confirm_delete(const Doomed& args, toolpost::Context& call);
std::string multi_input(toolpost::Context& call);
std::string tool_with_task(toolpost::Context& call);

// The tools of this plugin, one file a service.
#pragma once

#include <toolpost/toolpost.hpp>

struct Instance {
  struct Settings {  // any, to be read by place
    toolpost::Json server = {"null"};
    TOOLPOST_FIELDS(Settings, TOOLPOST_FIELD(server, "", toolpost::defaulted))
  };
  explicit Instance(Settings) {}
};
using Services = toolpost::Plugin<Instance>;

Services with_calls(Services plugin);
Services with_http(Services plugin);
Services with_kv(Services plugin);
Services with_local(Services plugin);

// The tools of this plugin, one file a service.
#pragma once

#include <mutex>
#include <vector>

#include <toolpost/toolpost.hpp>

struct Instance {
  struct Settings {  // any, to be read by place
    toolpost::Json server = {"null"};
    TOOLPOST_FIELDS(Settings, TOOLPOST_FIELD(server, "", toolpost::defaulted))
  };
  Instance(Settings, toolpost::Host host)
      : sold(host, "loaves_sold_total", "Loaves that were sold"),
        oven(host, "oven_loaves", "Loaves in the oven"),
        baking(host, "baking_seconds", "How long a loaf was baked") {}

  toolpost::metrics::Counter<"bread"> sold;
  toolpost::metrics::Gauge<> oven;
  toolpost::metrics::Histogram<> baking;
  std::mutex timers_mutex;
  std::vector<toolpost::Timer> timers;  // of calls that end later
};
using Services = toolpost::Plugin<Instance>;

Services with_args(Services plugin);
Services with_attachments(Services plugin);
Services with_calls(Services plugin);
Services with_history(Services plugin);
Services with_http(Services plugin);
Services with_kv(Services plugin);
Services with_local(Services plugin);
Services with_metrics(Services plugin);
Services with_opened(Services plugin);

// The tools of this plugin, one file a service.
#pragma once

#include <atomic>
#include <mutex>
#include <vector>

#include <toolpost/toolpost.hpp>

struct Instance {
  struct Settings {  // any, to be read by place
    toolpost::Json server = {"null"};
    TOOLPOST_FIELDS(Settings, TOOLPOST_FIELD(server, "", toolpost::defaulted))
  };
  Instance(Settings, toolpost::Host host)
      : host_(host),
        sold(host, "loaves_sold_total", "Loaves that were sold"),
        oven(host, "oven_loaves", "Loaves in the oven"),
        baking(host, "baking_seconds", "How long a loaf was baked") {}

  // Waits where nothing may wait, if a call wants it.
  void on_cancel(tp_call*) {
    if (cancel_status != kAsk) return;
    try {
      host_.kv().get("k");
      cancel_status = TP_OK;
    } catch (const toolpost::ServiceError& error) {
      cancel_status = error.status();
    }
  }

  static constexpr int kAsk = 1;
  toolpost::Host host_;
  std::atomic<int> cancel_status = 0;
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

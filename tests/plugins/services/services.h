// The tools of this plugin, one file a service.
#pragma once

#include <toolpost/toolpost.hpp>

using Services = toolpost::Plugin<>;

Services with_calls(Services plugin);
Services with_http(Services plugin);
Services with_kv(Services plugin);
Services with_local(Services plugin);

#include "services.h"

TOOLPOST_PLUGIN(with_calls(with_metrics(Services({.id = "org.toolpost.test.services_serial",
                                                  .name = "Services, one call at a time",
                                                  .version = "1.0.0"}))))

#include "services.h"

TOOLPOST_PLUGIN(with_args(with_attachments(with_calls(with_history(with_http(
    with_kv(with_local(with_metrics(with_opened(Services({.id = "org.toolpost.test.services",
                                                          .name = "Services",
                                                          .version = "1.0.0",
                                                          .concurrent = true})))))))))))

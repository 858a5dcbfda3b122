#include "plugin/lifecycle/status.h"

#include <utility>

#include "plugin/lifecycle/lifecycle.h"
#include "plugin/serving/grants.h"

namespace host::plugin {

PluginStatus Lifecycle::status() const {
  PluginStatus status;
  status.name = name_;
  status.path = path_;
  status.state = state_;
  status.isolation = settings().isolation;
  status.last_error = last_error_;
  status.history = history_;
  if (side_) {
    status.side_file = side_->file;
    status.side_keys = side_->keys();
  }
  status.refusals = refusals_;
  status.refusals.insert(status.refusals.end(), file_refusals_.begin(), file_refusals_.end());
  if (!serving_) return status;
  status.serving = true;
  status.generation = serving_->build().number;
  status.id = serving_->build().manifest.id;
  status.version = serving_->build().manifest.version;
  status.hash = serving_->build().staged->hash;
  status.permissions = serving_->build().manifest.permissions;
  const BuildRecord& record = *serving_->build().record;
  if (record.quarantined()) status.state = State::Quarantined;
  status.crashes = record.crashes();
  status.last_crash = record.last_crash();
  status.refused_inputs = record.refused_inputs(steady_now());
  status.notes = serving_->build().staged->notes;
  status.workers = serving_->build().workers;
  status.pids = serving_->pids();
  status.pid = status.pids.empty() ? 0 : status.pids.front();
  status.restarts = serving_->restarts();
  if (settings().isolation == config::Isolation::Worker) {
    sandbox::Applied sandbox = serving_->sandbox();
    status.layers = std::move(sandbox.layers);
    status.grants = in_words(serving_->build().profile, serving_->build().env);
    status.absent_grants = std::move(sandbox.absent);
    status.reads_only = serving_->build().reads_only;
    status.split_read_only = serving_->build().reading_profile.has_value();
  }
  for (const auto& tool : serving_->tools()) status.tools.push_back(tool->name());
  for (const tool::Declaration& tool : serving_->build().manifest.tools)
    status.declared.push_back(tool.name);
  return status;
}

}  // namespace host::plugin

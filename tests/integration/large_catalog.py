"""10,000 tools as a company's gateway has them: 40 services with five kinds of things each, and fifty actions on each kind.

A kind of a service is a tool group. Five upstream servers (upstreams/double.py) offer the tools.
"""
import json

UPSTREAMS = 5  # that share the services

SERVICES = {
    "github": ("source code and reviews", ("repository", "pull request", "branch", "release", "workflow")),
    "gitlab": ("source code and pipelines", ("project", "merge request", "pipeline", "runner", "snippet")),
    "jira": ("issue tracking", ("issue", "sprint", "board", "epic", "worklog")),
    "linear": ("product planning", ("ticket", "cycle", "roadmap", "initiative", "label")),
    "asana": ("project work", ("task", "portfolio", "milestone", "section", "goal")),
    "trello": ("boards of cards", ("card", "checklist", "column", "member", "power up")),
    "confluence": ("the company wiki", ("page", "space", "blog post", "template", "whiteboard")),
    "notion": ("notes and databases", ("document", "database", "block", "view", "workspace")),
    "slack": ("team chat", ("message", "channel", "huddle", "emoji", "reaction")),
    "teams": ("meetings and chat", ("meeting", "chat", "recording", "transcript", "breakout room")),
    "gmail": ("electronic mail", ("email", "draft", "thread", "filter", "signature")),
    "outlook": ("mail and contacts", ("mail item", "contact", "folder rule", "mailbox", "category")),
    "calendar": ("appointments", ("event", "invitation", "room booking", "availability", "calendar")),
    "zoom": ("video calls", ("webinar", "video call", "poll", "registrant", "cloud recording")),
    "drive": ("files in the cloud", ("file", "shared drive", "shortcut", "revision", "permission")),
    "dropbox": ("file sync", ("folder", "shared link", "file request", "backup", "team member")),
    "salesforce": ("customer relations", ("lead", "opportunity", "account", "quote", "campaign")),
    "hubspot": ("marketing", ("form", "landing page", "newsletter", "deal", "company")),
    "zendesk": ("customer support", ("support ticket", "macro", "satisfaction rating", "help article", "agent")),
    "intercom": ("customer chat", ("conversation", "visitor", "segment", "product tour", "bot")),
    "stripe": ("payments", ("invoice", "subscription", "refund", "payout", "payment link")),
    "paypal": ("payments of shops", ("payment", "dispute", "payer", "plan", "payment token")),
    "quickbooks": ("bookkeeping", ("journal entry", "bill", "vendor", "expense", "estimate")),
    "sap": ("resource planning", ("purchase order", "goods receipt", "material", "cost center", "supplier")),
    "shopify": ("a web shop", ("product", "order", "cart", "discount", "collection")),
    "warehouse": ("storage", ("stock item", "shipment", "pallet", "storage location", "stock count")),
    "fedex": ("parcels", ("parcel", "pickup", "delivery route", "customs form", "shipping label")),
    "workday": ("human resources", ("employee", "vacation request", "payslip", "position", "onboarding")),
    "greenhouse": ("hiring", ("candidate", "interview", "job posting", "offer letter", "scorecard")),
    "docusign": ("signatures", ("contract", "envelope", "signer", "signing template", "certificate")),
    "aws": ("cloud servers", ("instance", "bucket", "function", "security group", "snapshot")),
    "kubernetes": ("containers", ("deployment", "pod", "service", "secret", "node")),
    "terraform": ("infrastructure", ("stack", "variable", "state file", "module", "provider")),
    "datadog": ("monitoring", ("dashboard", "monitor", "metric", "log pipeline", "synthetic test")),
    "pagerduty": ("on-call duty", ("incident", "on-call schedule", "escalation policy", "postmortem", "responder")),
    "sentry": ("errors of programs", ("error event", "alert rule", "source map", "environment", "crash report")),
    "snowflake": ("the data warehouse", ("table", "query", "data share", "role", "virtual warehouse")),
    "tableau": ("charts", ("workbook", "data source", "chart", "extract", "site")),
    "figma": ("design", ("design file", "component", "prototype", "style", "design comment")),
    "mailchimp": ("mail campaigns", ("audience", "subscriber", "mail template", "automation", "report")),
}

# The word in the tool's name, and what its author wrote of it: {one} and {many} are the kind of thing.
ACTIONS = (
    ("list", "Lists {many}, newest first, in pages."),
    ("get", "Returns one {one} by its id with all its fields."),
    ("create", "Creates a new {one}."),
    ("update", "Changes fields of an existing {one}."),
    ("delete", "Deletes a {one} permanently."),
    ("search", "Finds {many} whose name or text matches words."),
    ("archive", "Archives a {one}, so that lists do not show it."),
    ("restore", "Restores a deleted or archived {one}."),
    ("export", "Exports {many} as a CSV file."),
    ("import", "Imports {many} from a CSV file."),
    ("assign", "Assigns a {one} to a person."),
    ("unassign", "Removes the person to whom a {one} is assigned."),
    ("comment_on", "Adds a comment to a {one}."),
    ("list_comments_of", "Returns the comments on a {one}."),
    ("attach_file_to", "Attaches a file to a {one}."),
    ("list_attachments_of", "Returns the files attached to a {one}."),
    ("tag", "Adds a tag to a {one}."),
    ("untag", "Removes a tag from a {one}."),
    ("watch", "Subscribes you to changes of a {one}."),
    ("unwatch", "Ends your subscription to changes of a {one}."),
    ("share", "Gives a person or team access to a {one}."),
    ("revoke_access_to", "Takes away the access of a person or team to a {one}."),
    ("approve", "Approves a {one} that waits for review."),
    ("reject", "Rejects a {one} that waits for review, with a reason."),
    ("merge", "Merges a {one} into another or into its target."),
    ("split", "Splits a {one} into several."),
    ("duplicate", "Makes a copy of a {one}."),
    ("move", "Moves a {one} to another place."),
    ("lock", "Locks a {one} against changes."),
    ("unlock", "Allows changes of a locked {one} again."),
    ("schedule", "Schedules a {one} for a date and time."),
    ("cancel_schedule_of", "Cancels the planned date of a {one}."),
    ("get_history_of", "Shows who changed a {one}, what and when."),
    ("count", "Counts {many} by state, owner or date."),
    ("get_statistics_of", "Returns figures of the use of a {one} over time."),
    ("validate", "Checks a {one} for missing or wrong fields without saving it."),
    ("preview", "Renders a {one} as its readers will see it."),
    ("publish", "Publishes a {one}."),
    ("unpublish", "Withdraws a published {one}."),
    ("notify_about", "Sends a notice about a {one} to its watchers."),
    ("remind_of", "Sends a reminder about a {one} to the person who has to act."),
    ("link", "Links a {one} to a record of another service."),
    ("unlink", "Removes a link between a {one} and another record."),
    ("transfer", "Gives a {one} to a new owner."),
    ("set_due_date_of", "Sets or postpones the date by which a {one} is due."),
    ("set_priority_of", "Sets how urgent a {one} is."),
    ("close", "Closes a {one} as done."),
    ("reopen", "Opens a closed {one} again."),
    ("bulk_update", "Changes fields of many {many} at once."),
    ("download_pdf_of", "Downloads a {one} as a PDF document."),
)

# As models ask, and the tool that a person would choose.
QUESTIONS = (
    ("merge the pull request on GitHub", "github_merge_pull_request"),
    ("send a reminder for the unpaid Stripe invoice", "stripe_remind_of_invoice"),
    ("how many support tickets are open in Zendesk? count them", "zendesk_count_support_ticket"),
    ("download the signed contract from DocuSign as a PDF", "docusign_download_pdf_of_contract"),
    ("find a lead in Salesforce by company name", "salesforce_search_lead"),
    ("reopen a Jira issue that was closed by mistake", "jira_reopen_issue"),
    ("who changed the Confluence page, and when", "confluence_get_history_of_page"),
    ("take away someone's access to a Dropbox folder", "dropbox_revoke_access_to_folder"),
    ("postpone the due date of my Asana task", "asana_set_due_date_of_task"),
    ("approve the vacation request of an employee in Workday", "workday_approve_vacation_request"),
)


def upstream_of(service):
    return f"office_{list(SERVICES).index(service) % UPSTREAMS + 1}"


def served(tool):
    """The name by which clients call it."""
    return f"mcp__{upstream_of(tool.partition('_')[0])}__{tool}"


def plural(kind):
    return kind[:-1] + "ies" if kind.endswith("y") else kind + ("es" if kind.endswith(("s", "ch", "x")) else "s")


def groups():
    """{name: (description, [tool definitions])}, 200 groups of 50 tools."""
    made = {}
    for service, (about, kinds) in SERVICES.items():
        for kind in kinds:
            word = kind.replace(" ", "_").replace("-", "_")
            schema = {"type": "object", "properties": {"id": {"type": "string", "description": f"Id of the {kind}"},
                                                       "fields": {"type": "object", "description": "Values by field"}}}
            made[f"{service}_{word}"] = (f"{plural(kind).capitalize()} of {service.capitalize()}, for {about}.", [
                {"name": f"{service}_{action}_{word}", "inputSchema": schema,
                 "description": text.format(one=kind, many=plural(kind)) + f" Service: {service.capitalize()}."}
                for action, text in ACTIONS])
    return made


def config(python, double, folder, of=None, active=()):
    """The sections of a configuration with these groups (default: all), and with upstreams that offer their tools. Their
    definitions are files in `folder`."""
    chosen = {name: made for name, made in groups().items() if of is None or name in of}
    offered = {}
    text = "[groups]\nsearch_above = 100\n[limits]\nupstream_tools = 10000\n[upstreams]\nstart_timeout_s = 300\n"
    for name, (description, tools) in chosen.items():
        offered.setdefault(upstream_of(name.partition("_")[0]), []).extend(tools)
        text += (f'[[group]]\nname = "{name}"\ndescription = "{description}"\nactive = {str(name in active).lower()}\n'
                 f'tools = {json.dumps([served(tool["name"]) for tool in tools])}\n')
    for upstream, tools in offered.items():
        file = folder / f"{upstream}.json"
        file.write_text(json.dumps(tools))
        text += (f'[[upstream]]\nname = "{upstream}"\ncommand = "{python}"\nargs = ["-B", "{double}", "file={file}"]\n'
                 'pin = "off"\nlazy = false\n')
    return text

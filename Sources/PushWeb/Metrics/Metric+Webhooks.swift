extension Metric {
    // MARK: Receivers of events

    static let webhooks = [webhookBehind, webhookLag, webhookBatches, webhookEvents, webhookDisabled]
    static let webhookBehind = Metric(
        "webhook_behind_events", .gauge, ["webhook"],
        "Events that the receiver was not told yet, those that are not for it included.",
        "Growing: it takes less than happens, or nothing; see webhook_batches_total.")
    static let webhookLag = Metric(
        "webhook_behind_seconds", .gauge, ["webhook"],
        "How long the first of these has waited; 0: there is none.",
        "Alert beyond some minutes: what it was not told after nmac/@webhookDays is dropped.")
    static let webhookBatches = Metric(
        "webhook_batches_total", .counter, ["webhook", "result"],
        "Batches that were taken, and attempts that failed.",
        "`pushmta webhook show` has the receiver's last answer.")
    static let webhookEvents = Metric(
        "webhook_events_total", .counter, ["webhook", "result"],
        "Events that were told, and such that the receiver never got (dropped).",
        "Any rate of dropped: the receiver was away for too long, or messages were removed before they were told."
    )
    static let webhookDisabled = Metric(
        "webhook_disabled", .gauge, ["webhook"], "1 where nothing is sent to the receiver.",
        "`pushmta webhook show` says why, `webhook update --enable` ends it.")
}

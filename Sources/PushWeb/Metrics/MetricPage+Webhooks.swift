internal import PushModel
internal import PushOperations
internal import PushWire

/// How far receivers of events have come; there are few.
extension MetricPage {
    func writeWebhooks(_ text: inout MetricText) {
        let webhooks = (store.value?.webhooks ?? []).map { ($0.name.printable(atMost: 200), $0) }
        text.write(.webhookBehind) { for (name, hook) in webhooks { $0.add(Int(hook.behind), name) } }
        text.write(.webhookLag) { for (name, hook) in webhooks { $0.add(Int(hook.behindSeconds), name) } }
        text.write(.webhookBatches) { samples in
            for (name, hook) in webhooks {
                samples.add(Int(hook.batchesTaken), name, "taken")
                samples.add(Int(hook.attemptsFailed), name, "failed")
            }
        }
        text.write(.webhookEvents) { samples in
            for (name, hook) in webhooks {
                samples.add(Int(hook.told), name, "told")
                samples.add(Int(hook.dropped), name, "dropped")
            }
        }
        text.write(.webhookDisabled) { for (name, hook) in webhooks { $0.add(hook.enabled ? 0 : 1, name) } }
    }
}

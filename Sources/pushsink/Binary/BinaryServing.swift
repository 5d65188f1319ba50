/// The old gateway and its feedback service on ports of their own; either may be absent.
struct BinaryServing {
    var gateway: (listener: Listener, counts: SinkCounts)?
    var feedback: (listener: Listener, counts: SinkCounts)?
    var log: RequestLog?

    var named: [(String, Listener)] {
        [("binary", gateway?.listener), ("feedback", feedback?.listener)].compactMap { name, listener in
            listener.map { (name, $0) }
        }
    }

    /// By name, with the counts that only these have.
    var summaries: [String: Summary] {
        var summaries: [String: Summary] = [:]
        if let gateway {
            var summary = gateway.counts.summary(peak: (0, 0))
            // Ids are Apple's newer gateway's; what is counted in their place are pairs of token and payload.
            summary.distinctMessages = summary.distinctApnsIDs
            summary.distinctApnsIDs = nil
            summaries["binary"] = summary
        }
        if let feedback {
            var summary = feedback.counts.summary(peak: (0, 0))
            summary.tuplesTold = feedback.counts.tuplesTold
            summary.distinctTokens = nil
            summary.distinctApnsIDs = nil
            summaries["feedback"] = summary
        }
        return summaries
    }
}

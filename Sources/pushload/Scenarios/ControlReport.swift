/// What deliveries under control came to, from both ends, and the judgement.
package struct ControlReport: Sendable {
    package struct Chapter: Sendable {
        package var report: DeliveryReport
        package var rows: [MessageRow]
        /// Of this delivery, as they ended at the gateway.
        package var requests: [GatewayRequest]
        /// nil: nobody stopped it.
        package var stop: ControlScenario.Stop?

        package init(
            report: DeliveryReport, rows: [MessageRow], requests: [GatewayRequest],
            stop: ControlScenario.Stop?
        ) {
            self.report = report
            self.rows = rows
            self.requests = requests
            self.stop = stop
        }
    }

    package var devices: Int
    package var chapters: [Chapter] = []

    package init(devices: Int) { self.devices = devices }

    package var findings: [Finding] { chapters.flatMap { findings(of: $0) } }

    private func findings(of chapter: Chapter) -> [Finding] {
        let name = "delivery \(chapter.report.id)"
        let counts = chapter.report.counts
        let (rows, wasStopped) = (chapter.rows, chapter.report.state == "stopped")
        func count(_ state: String) -> Int { rows.count { $0.state == state } }
        let taken = Set(chapter.requests.lazy.filter { $0.ending == .accepted }.map(\.token))
        let unseen = rows.count { $0.state == "sent" && !taken.contains($0.registrationToken) }
        var findings = [
            Finding(
                what: "\(name) has ended and adds up", holds: chapter.report.isOver && chapter.report.addsUp,
                numbers: chapter.report.summary),
            Finding(
                what: "\(name) has each device once",
                holds: Set(rows.map(\.registrationToken)).count == rows.count
                    && (wasStopped ? rows.count <= devices : rows.count == devices),
                numbers: "\(rows.count) messages for \(devices) devices"),
            Finding(
                what: "\(name): the messages are what the counts say",
                holds: count("sent") == counts.sent && count("failed") == counts.failed
                    && count("cancelled") == counts.cancelled && counts.pending + counts.retrying == 0,
                numbers: "\(count("sent")) sent, \(count("failed")) failed, \(count("cancelled")) cancelled"),
            Finding(
                what: "\(name): what is sent the gateway took", holds: unseen == 0,
                numbers: "\(unseen) unseen of \(counts.sent)"),
            Finding(
                what: "\(name): nothing is cancelled but by a stop",
                holds: wasStopped || counts.cancelled == 0, numbers: "\(counts.cancelled)"),
        ]
        if let stop = chapter.stop {
            let late = chapter.requests.count { $0.time > stop.answered }
            findings.append(
                Finding(
                    what: "\(name): nothing begins after the stop has answered",
                    holds: late <= stop.onTheWire,
                    numbers: "\(late) ended after it, \(stop.onTheWire) were on the wire"))
        }
        return findings
    }
}

package import PushModel
internal import PushQueue

extension DeliveryReader {
    /// Returns measurements of the app's most recent finished deliveries that were sent at full speed, the
    /// latest first. A delivery was sent at full speed if it had no rate, waves or times of day, and no
    /// single messages joined it. Only the store's last deliveries are searched.
    ///
    /// The time that a delivery took is measured from its start to its end. If that time is longer than
    /// ``shortMilliseconds``, late retries may be the cause, so the time is measured from the start until
    /// nine tenths of the messages had ended. The end of this period is read from the delivery's parts, which
    /// state times to the second. Nothing is stored for these measurements, so a restart changes nothing. A
    /// long delivery whose messages were removed is not used.
    /// - Parameter size: The minimum number of messages in each delivery.
    package func measured(of app: AppID, size: Int) throws(StoreError) -> [MeasuredDelivery] {
        let finished = try connection.read("read recent rates") { db in
            let rows = try db.rows(
                sql: """
                    \(DeliverySummary.selection)
                    WHERE state = '\(DeliveryState.finished.rawValue)' AND rate = 0 AND open_until IS NULL
                        AND calendar IS NULL AND last_ordinal >= ?2
                        AND id > (SELECT max(id) FROM delivery) - \(Self.recentDeliveries)
                        AND id IN (SELECT delivery_id FROM delivery_app WHERE app_id = ?1
                            AND delivery_id > (SELECT max(id) FROM delivery) - \(Self.recentDeliveries))
                    ORDER BY id DESC LIMIT \(Self.comparedRates)
                    """,
                arguments: [app.rawValue, size])
            return try DeliverySummary.all(rows, db)
        }
        var measured: [MeasuredDelivery] = []
        for delivery in finished {
            if let one = try measure(delivery), one.messages >= size { measured.append(one) }
        }
        return measured
    }

    private func measure(_ delivery: DeliverySummary) throws(StoreError) -> MeasuredDelivery? {
        guard let started = delivery.started, let finished = delivery.finished else { return nil }
        let milliseconds = finished.millisecondsSince1970 - started.millisecondsSince1970
        let ended = delivery.counts.sent + delivery.counts.failed
        guard milliseconds > Self.shortMilliseconds else {
            return MeasuredDelivery(messages: ended, seconds: Double(max(milliseconds, 1)) / 1_000)
        }
        guard delivery.removed == nil else { return nil }
        let times = try endings(of: delivery.id).sorted { $0.key < $1.key }
        let all = times.reduce(0) { $0 + $1.value }
        var sum = 0
        for (time, count) in times {
            sum += count
            guard sum >= all - all / 10 else { continue }
            // The exact time is half a second later on average, because parts state only the whole second.
            let seconds = Double(time.secondsSince1970) + 0.5 - Double(started.millisecondsSince1970) / 1_000
            return MeasuredDelivery(messages: sum, seconds: max(seconds, 0.5))
        }
        return nil
    }

    /// Returns how many messages of the delivery were sent or failed in each second.
    private func endings(of delivery: DeliveryID) throws(StoreError) -> [WallTime: Int] {
        var endings: [WallTime: Int] = [:]
        var last: PartID?
        while true {
            let after = last
            let step = try connection.read("read recent rates", of: delivery) { db in
                let parts = try PartTable(db: db).parts(
                    of: delivery, after: after, limit: Self.partsPerMeasuredStep)
                var endings: [WallTime: Int] = [:]
                for part in parts {
                    part.progress.states.forEachRun(in: 0..<part.count) { range, status in
                        guard status.state == .sent || status.state == .failed else { return }
                        endings[status.since, default: 0] += range.count
                    }
                }
                return (endings: endings, last: parts.last?.part.id)
            }
            endings.merge(step.endings, uniquingKeysWith: +)
            guard let next = step.last else { return endings }
            last = next
        }
    }

    /// The maximum duration of a delivery that is measured from start to end.
    private static let shortMilliseconds: Int64 = 10_000
    private static let partsPerMeasuredStep = 50
    /// The number of the store's last deliveries that are searched.
    private static let recentDeliveries = 1_000
    /// The maximum number of deliveries that are measured.
    private static let comparedRates = 10
}

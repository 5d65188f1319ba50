extension ReportRun {
    /// The length of a sample. Short runs are sampled more often.
    private var interval: Duration { .milliseconds(secondsNow < 10 ? 100 : 250) }
    /// The interval between requests for the metrics page. The engine does not update the page more often.
    private static var metricsInterval: Duration { .milliseconds(500) }
    /// If the delivery log has had no new line for this long, the run queries the deliveries that still have
    /// messages that have not ended.
    private static var silence: Duration { .seconds(1) }

    private var secondsNow: Double { (clock.now - begin).inSeconds }

    /// Drives the scenario from the first arrival to the last answer.
    func drive() async throws {
        _ = sampler.take(processes)
        (begin, beginMilliseconds) = (clock.now, EpochTime.now)
        lastLine = begin
        var (nextSample, nextMetrics) = (begin + interval, begin)
        var nextLook = begin + Self.silence
        var registering: Double?
        let limit = Duration.seconds(600 + document.messages / 50)
        while true {
            let now = secondsNow
            let parts = document.partsPerDelivery
            let open = plan.arrived * parts - accepted + book.openDeliveries.count
            for due in plan.take(at: now, underWay: (open + parts - 1) / parts) {
                for _ in 0..<parts {
                    dueDeliveries.append(beginMilliseconds + Int((due * 1_000).rounded()))
                    pump.add(.submit(dueDeliveries.count - 1))
                }
            }
            try await turn()
            if document.restarts, !wasRestarted, book.ended > 0 { try await restart() }
            if clock.now >= nextSample {
                endSample()
                nextSample = max(nextSample + interval, clock.now)
            }
            if clock.now >= nextMetrics {
                nextMetrics = clock.now + Self.metricsInterval
                askForMetrics()
            }
            if clock.now - lastLine > Self.silence, clock.now >= nextLook {
                nextLook = clock.now + Self.silence
                for delivery in book.openDeliveries.prefix(Self.connections / 2) { pump.add(.look(delivery)) }
            }
            let areSent =
                plan.isOver && accepted == document.deliveries * parts && book.openDeliveries.isEmpty
            if areSent, registering == nil { registering = now }
            if let start = registering {
                beginRegistrations(at: now - start, since: start)
                if answeredRegistrations == document.registrations, pump.isIdle { break }
            }
            guard clock.now - begin < limit else {
                throw LoadError(
                    """
                    only \(book.ended) of \(document.messages) messages ended within \
                    \(limit.inSeconds.fixed(0)) s
                    """
                )
            }
            try Interruption.check()
            try await Task.sleep(for: .milliseconds(1))
        }
        endSample()
    }

    private func beginRegistrations(at seconds: Double, since start: Double) {
        let due = min(document.registrations, Int(seconds * document.registrationsPerSecond) + 1)
        while dueRegistrations.count < due {
            let moment = start + Double(dueRegistrations.count) / document.registrationsPerSecond
            dueRegistrations.append(beginMilliseconds + Int((moment * 1_000).rounded()))
            pump.add(.registration(dueRegistrations.count - 1))
        }
    }

    /// Kills the master with `kill -9` and starts a new one. Deliveries that become due before the new master
    /// is ready are late, and their latency includes the wait.
    private func restart() async throws {
        wasRestarted = true
        let (pending, before) = (document.messages - book.ended, clock.now)
        _ = try await testbed.killMaster()
        let killed = clock.now
        try await testbed.startEngine()
        report.remarks.append(
            "the master was killed with \(pending) messages pending; it ended after "
                + "\((killed - before).inSeconds.fixed(2)) s, and the new one was ready "
                + "\((clock.now - killed).inSeconds.fixed(2)) s later")
    }

    /// Reads the results of the messages from the engine's own counts, after everything has ended.
    func takeCounts() async throws {
        for delivery in book.deliveries { pump.add(.count(delivery)) }
        let end = clock.now + Waiting.patience
        while counts.count < book.deliveries.count {
            try await turn()
            try Interruption.check()
            guard clock.now < end else {
                throw LoadError("the service did not return the results of all deliveries")
            }
            try await Task.sleep(for: .milliseconds(1))
        }
    }

    // MARK: Requests

    private func turn() async throws {
        for tail in tails where tail.read({ book.note($0, into: &sample) }) { lastLine = clock.now }
        for ended in pump.turn(request: request) { try note(ended) }
        for place in otherPumps.indices {
            for ended in otherPumps[place].turn(request: request) {
                noteMetrics(ended.reply, ofHost: place + 2)
            }
        }
        sample.waiting = max(sample.waiting, book.waiting)
        let all = Double(document.messages + document.registrations)
        show(Double(book.ended + book.missingLines + answeredRegistrations) / all)
    }

    private func request(of workItem: WorkItem) -> LoadRequest {
        switch workItem {
        case .submit(let number):
            // If the answer is lost, the request is repeated. With the same idempotency key, the repetition
            // returns the same delivery.
            return .call(
                "POST", "/deliveries", token: testbed.apiToken,
                headers: [("Idempotency-Key", "report-\(number)")],
                body: deliveryJSON(number))
        case .registration(let number):
            let devices = SyntheticSubscribers(
                document.registrations, seed: UInt64(document.seed) &* 1_009, isAndroid: document.isAndroid)
            var form = DeviceForm(
                isAndroid: document.isAndroid, token: devices.token(number), integrationKey: apps.first ?? "")
            (form.userKey, form.name, form.language) = ("new-\(number)", "Ada's phone", "en")
            return form.request
        case .look(let delivery), .count(let delivery):
            return .call("GET", "/deliveries/\(delivery)", token: testbed.apiToken)
        case .metrics: return LoadRequest("GET", "/metrics")
        }
    }

    private struct Accepted: Decodable { let id: Int }

    private func note(_ ended: RequestPump<WorkItem>.Ended) throws {
        // While no master is running, there is no answer. A master that is not ready answers 503.
        guard let reply = ended.reply, reply.status != 503 else {
            if case .metrics = ended.workItem { return }
            return pump.addLater(ended.workItem)
        }
        switch ended.workItem {
        case .submit(let number):
            guard reply.status == 201 || reply.status == 200 else {
                throw LoadError("the service answered a delivery with \(reply.status): \(Self.text(reply))")
            }
            let id = try Accepted(json: reply.body, from: "the answer to a delivery").id
            book.accept(
                id, due: dueDeliveries[number],
                messages: document.recipients * document.accounts(ofPart: number).count,
                into: &sample)
            (accepted, lastLine) = (accepted + 1, clock.now)
        case .registration(let number):
            answeredRegistrations += 1
            guard reply.status == 200 else {
                refused["a registration was answered with \(reply.status)", default: 0] += 1
                return
            }
            sample.registered += 1
            sample.registrationLatency.record(EpochTime.now - dueRegistrations[number])
        case .look(let delivery):
            let shown = try DeliveryReport(json: reply.body, from: "delivery \(delivery)")
            // The engine writes outcomes to the log a moment after it records them, so the delivery is closed
            // only after a pause.
            if shown.isOver, clock.now - lastLine > Self.silence { book.close(delivery) }
        case .count(let delivery):
            counts[delivery] = try DeliveryReport(json: reply.body, from: "delivery \(delivery)").counts
        case .metrics: noteMetrics(reply, ofHost: 1)
        }
    }

    private static func text(_ reply: HTTPReply) -> String {
        String(decoding: reply.body.prefix(300), as: UTF8.self)
    }

    private func noteMetrics(_ reply: HTTPReply?, ofHost number: Int) {
        guard let reply, reply.status == 200 else { return }
        let page = String(decoding: reply.body, as: UTF8.self)
        let waiting = MetricFigure.value(of: "pushmta_children_in_flight_messages", on: page)
        inFlight[number - 1] = Int(waiting ?? 0)
        sample.inFlight = max(sample.inFlight, inFlight.reduce(0, +))
        guard document.isOnPostgreSQL, number == 1 else { return }
        let sizes = ["pushmta_store_bytes", "pushmta_store_log_bytes"].compactMap {
            MetricFigure.value(of: $0, on: page)
        }
        storeBytes = Int(sizes.reduce(0, +))
    }

    // MARK: Samples

    private func endSample() {
        sample.end = secondsNow
        (sample.cpu, sample.memory) = sampler.take(processes)
        sample.inFlight = max(sample.inFlight, inFlight.reduce(0, +))
        if !document.isOnPostgreSQL { storeBytes = sizeOfFiles }
        sample.storeBytes = storeBytes
        report.series.append(sample)
        sample = Sample(from: sample.end, to: sample.end)
    }

    private func askForMetrics() {
        pump.add(.metrics)
        for place in otherPumps.indices where otherPumps[place].isIdle { otherPumps[place].add(.metrics) }
    }

    /// All running processes, with their names in the report.
    private var processes: [(name: String, processID: Int32)] {
        var all: [(String, Int32)] = []
        for master in [testbed.engine].compactMap(\.self) + otherHosts {
            all.append(("master", master.processID))
            all += ProcessTable.children(of: master.processID).map { ("child", $0) }
        }
        if let sink = testbed.sink { all.append(("pushsink", sink.processID)) }
        if let server = testbed.databaseServer?.processID {
            all += ([server] + ProcessTable.children(of: server)).map { ("PostgreSQL", $0) }
        }
        return all + [("pushload", ProcessTable.ownID)]
    }

    /// The size of a store in a file, including its log.
    private var sizeOfFiles: Int {
        let folder = testbed.folder.file("var")
        return Folder.names(in: folder).filter { $0.hasPrefix("pushmta.db") }.sum {
            Folder.size(of: "\(folder)/\($0)")
        }
    }
}

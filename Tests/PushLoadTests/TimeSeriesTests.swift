import Testing
import pushload

@Suite struct TimeSeriesTests {
    private func sample(_ number: Int) -> Sample {
        var sample = Sample(from: Double(number), to: Double(number + 1))
        (sample.ended, sample.retried, sample.inFlight) = (number, 1, number % 7)
        sample.cpu = [.init("master", "loop"): 0.25, .init("child", "\(number % 3)"): 0.5]
        sample.memory = ["master": 1_000 + number]
        sample.latency = Histogram([number, number + 1])
        return sample
    }

    @Test(arguments: [1, 7, 8, 9, 100, 1_000])
    func `merging in any order keeps the sums and leaves no gap between intervals`(count: Int) {
        var series = TimeSeries(most: 8)
        let samples = (0..<count).map(sample)
        for sample in samples { series.append(sample) }
        #expect((1...8).contains(series.samples.count))
        #expect(series.ended == samples.map(\.ended).reduce(0, +) && series.retried == count)
        #expect(series.seconds == Double(count))
        #expect(zip(series.samples, series.samples.dropFirst()).allSatisfy { $0.end == $1.begin })
        #expect(series.latency == Histogram(samples.flatMap { [$0.ended, $0.ended + 1] }))
        #expect(series.cpu[.init("master", "loop")] == Double(count) * 0.25)
        #expect(series.peakMemory == ["master": 999 + count])
        #expect(series.maxInFlight == min(count - 1, 6))
        // All samples except the last have the same length.
        let lengths = Set(series.samples.dropLast().map(\.seconds))
        #expect(lengths.isSubset(of: [Double(series.joined)]))
    }

    @Test func `the rates are those in their interval`() {
        var sample = Sample(from: 1, to: 3)
        sample.ended = 10
        sample.cpu = [.init("child", "send"): 1, .init("child", "read"): 0.5, .init("master", "loop"): 0.2]
        #expect(sample.endedPerSecond == 5)
        #expect(sample.coresByProcess == ["child": 0.75, "master": 0.1])
        #expect(Sample(from: 1, to: 1).endedPerSecond == 0)
    }
}

@Suite struct ArrivalPlanTests {
    @Test func `in an open loop, a stall does not postpone any arrival`() {
        var plan = ArrivalPlan(.open(perSecond: 10), count: 6)
        #expect(plan.take(at: 0, underWay: 0) == [0])
        #expect(plan.take(at: 0.05, underWay: 100) == [])
        #expect(plan.take(at: 0.1, underWay: 100) == [0.1])
        // The plan was not queried for a while. Entries that became due meanwhile keep their moment, and
        // their wait is part of their latency.
        let late = plan.take(at: 0.45, underWay: 100)
        #expect(late.count == 3 && zip(late, [0.2, 0.3, 0.4]).allSatisfy { abs($0 - $1) < 1e-9 })
        #expect(plan.take(at: 60, underWay: 0).count == 1 && plan.isOver)
        #expect(plan.take(at: 90, underWay: 0) == [])
    }

    @Test func `in a closed loop, an arrival occurs as soon as a caller is free`() {
        var plan = ArrivalPlan(.closed(callers: 2), count: 4)
        #expect(plan.take(at: 0, underWay: 0) == [0, 0])
        #expect(plan.take(at: 1, underWay: 2) == [])
        #expect(plan.take(at: 2.5, underWay: 1) == [2.5])
        #expect(plan.take(at: 3, underWay: 0) == [3] && plan.isOver)
    }
}

@Suite struct DeliveryBookTests {
    private func line(_ delivery: Int, _ outcome: AttemptLine.Outcome, at time: Int) -> AttemptLine {
        AttemptLine(time: time, delivery: delivery, outcome: outcome)
    }

    @Test func `latency is measured from the moment when a delivery was due`() {
        var (book, sample) = (DeliveryBook(), Sample(from: 0, to: 1))
        book.accept(7, due: 1_000, messages: 2, into: &sample)
        book.note(line(7, .retrying, at: 1_010), into: &sample)
        book.note(line(7, .sent, at: 1_250), into: &sample)
        #expect(book.waiting == 1 && book.openDeliveries == [7] && sample.retried == 1)
        book.note(line(7, .failed, at: 1_900), into: &sample)
        #expect(book.openDeliveries == [] && book.ended == 2)
        #expect(sample.latency == Histogram([250, 900]) && sample.ended == 2)
    }

    @Test func `log lines that arrive before the number of their delivery is known are kept until then`() {
        var (book, sample) = (DeliveryBook(), Sample(from: 0, to: 1))
        book.note(line(3, .sent, at: 50), into: &sample)
        #expect(book.ended == 0)
        book.accept(3, due: 20, messages: 2, into: &sample)
        #expect(book.ended == 1 && sample.latency == Histogram([30]) && book.openDeliveries == [3])
        book.close(3)
        #expect(
            book.waiting == 0 && book.missingLines == 1 && book.openDeliveries == [] && book.deliveries == [3]
        )
    }

    @Test func `a log line is parsed in the format that the engine writes`() throws {
        func read(_ text: String) -> AttemptLine? { AttemptLine(Array(text.utf8)[...]) }
        let head =
            "time=2026-11-22T21:17:12.804Z delivery=4711 app=shop-ios account=\"iosHTTP2 outcome=sent T:K\" "
        #expect(
            read(head + "outcome=retrying reason=ServiceUnavailable message=1 attempts=1")
                == line(4_711, .retrying, at: 1_795_382_232_804))
        #expect(read(head + "outcome=sent message=1 attempts=1")?.outcome == .sent)
        #expect(read(head + "outcome=failed reason=x message=1")?.outcome == .failed)
        #expect(read(head + "outcome=excluded message=1")?.outcome == .other)
        #expect(read(head)?.outcome == .other)
        for odd in ["", "time=", "time=2026-11-22T21:17:12.804Z dropped=7 and some more of it", "x" + head] {
            #expect(read(odd) == nil, "\(odd)")
        }
        let times = ["1970-01-01T00:00:00.000Z": 0, "2000-02-29T00:00:00.001Z": 951_782_400_001]
        for (text, wanted) in times { #expect(AttemptLine.milliseconds(Array(text.utf8)[...]) == wanted) }
    }
}

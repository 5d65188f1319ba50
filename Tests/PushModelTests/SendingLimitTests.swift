import PushModel
import Testing

struct SendingLimitTests {
    private func limit(_ change: (inout SendingLimit.AccountFigures) -> Void) -> SendingLimit {
        var sight = SendingLimit.AccountFigures()
        sight.workingChildren = 2
        sight.window = 1_000
        sight.answerMilliseconds = 20
        change(&sight)
        return SendingLimit(sight)
    }

    @Test func `an account without due messages is idle, whatever its state`() {
        #expect(limit { _ in } == .nothingToDo)
        #expect(
            limit {
                $0.hasStoreFailure = true
                $0.isHeld = true
                $0.workingChildren = 0
            } == .nothingToDo)
    }

    @Test func `the store, a hold and missing children rank before quota and rate as limits`() {
        for wait in [SendingLimit.Wait.quota, .rate, .room] {
            #expect(limit { ($0.wait, $0.hasStoreFailure) = (wait, true) } == .store)
            #expect(limit { ($0.wait, $0.isHeld) = (wait, true) } == .held)
            #expect(limit { ($0.wait, $0.workingChildren) = (wait, 0) } == .children)
        }
        #expect(limit { ($0.wait, $0.inFlight) = (.quota, 900) } == .quota)
        #expect(limit { ($0.wait, $0.inFlight) = (.rate, 900) } == .rate)
    }

    @Test func `messages collect before the stage that limits the rate`() {
        #expect(limit { ($0.wait, $0.reading, $0.inFlight) = (.room, 500, 100) } == .store)
        #expect(limit { ($0.wait, $0.unrecorded, $0.queued) = (.room, 500, 100) } == .store)
        #expect(limit { $0.unrecorded = 1 } == .store)
        #expect(limit { $0.wait = .room } == .children)
        #expect(limit { ($0.wait, $0.queued, $0.inFlight) = (.room, 2_000, 100) } == .children)
        #expect(limit { ($0.queued, $0.inFlight) = (2_000, 1_000) } == .window)
        #expect(limit { ($0.wait, $0.inFlight) = (.room, 750) } == .window)
        #expect(limit { $0.inFlight = 5 } == .gatewayLatency)
    }

    @Test func `a slow gateway limits more than its window or the children's capacity do`() {
        for milliseconds in [SendingLimit.slowAnswerMilliseconds, nil] {
            #expect(
                limit {
                    ($0.queued, $0.inFlight, $0.answerMilliseconds) = (2_000, 1_000, milliseconds)
                } == .gatewayLatency)
            #expect(
                limit {
                    ($0.wait, $0.inFlight, $0.answerMilliseconds) = (.room, 500, milliseconds)
                } == .gatewayLatency)
        }
        // Until a connection is open, there is no window.
        #expect(limit { ($0.queued, $0.window) = (10, 0) } == .gatewayLatency)
        #expect(
            limit { ($0.queued, $0.inFlight, $0.answerMilliseconds) = (2_000, 100, 900) } == .children)
    }

    private func limit(
        left: Int = 10, _ accounts: [SendingLimit],
        _ change: (inout SendingLimit.DeliveryFigures) -> Void = { _ in }
    ) -> SendingLimit {
        var sight = SendingLimit.DeliveryFigures()
        (sight.left, sight.accounts) = (left, accounts)
        change(&sight)
        return SendingLimit(sight)
    }

    @Test func `a delivery is limited by its state, then by its rate, and then by its accounts`() {
        #expect(limit(left: 0, [.window]) == .nothingToDo)
        #expect(limit(left: 0, [.nothingToDo]) { $0.isPreparing = true } == .store)
        #expect(limit([.window]) { ($0.isHeld, $0.isAtRate) = (true, true) } == .held)
        #expect(limit([.held]) { ($0.isPaused, $0.isAtRate) = (true, true) } == .paused)
        #expect(limit([.window]) { ($0.isPaused, $0.isHeld) = (true, true) } == .held)
        #expect(limit([.quota]) { $0.isAtRate = true } == .rate)
        #expect(limit([.window, .quota]) == .quota)
        #expect(limit([.gatewayLatency, .nothingToDo]) == .gatewayLatency)
        // Its messages wait for their next attempt, and the account waits for another delivery's rate.
        #expect(limit([.rate]) == .nothingToDo)
        #expect(limit([.nothingToDo]) == .nothingToDo)
        #expect(limit([]) == .nothingToDo)
    }

    private func pace(_ change: (inout DeliveryPace) -> Void) -> DeliveryPace {
        var pace = DeliveryPace()
        (pace.left, pace.limit) = (600, .window)
        change(&pace)
        return pace
    }

    @Test func `the remaining time follows from the measured rate, and is unknown if there is no rate`() {
        let early = pace { ($0.ended, $0.secondsSinceStart, $0.recentPerSecond) = (200, 2, 20) }
        #expect(early.perSecond == 100 && early.secondsLeft == 6)
        let later = pace { ($0.ended, $0.secondsSinceStart, $0.recentPerSecond) = (200, 100, 25) }
        #expect(later.perSecond == 25 && later.secondsLeft == 24)
        let elsewhere = pace { ($0.ended, $0.secondsSinceStart) = (200, 100) }
        #expect(elsewhere.perSecond == 2 && elsewhere.secondsLeft == 300)
        let silent = pace { ($0.ended, $0.secondsSinceStart, $0.recentPerSecond) = (200, 100, 0) }
        #expect(silent.perSecond == nil && silent.secondsLeft == nil)
        #expect(pace { $0.recentPerSecond = 5 }.secondsLeft == nil, "it has not started")
        for limit in [SendingLimit.held, .paused, .nothingToDo] {
            let held = pace {
                ($0.ended, $0.secondsSinceStart, $0.recentPerSecond, $0.limit) = (200, 100, 25, limit)
            }
            #expect(held.secondsLeft == nil)
        }
        let preparing = pace {
            ($0.ended, $0.secondsSinceStart, $0.recentPerSecond, $0.left) = (200, 100, 25, nil)
        }
        #expect(preparing.secondsLeft == nil)
    }
}

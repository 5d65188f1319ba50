import GatewayKit
import PushConnectors
import PushModel
import Testing

@Suite struct ConnectPaceTests {
    @Test func `a burst of connections is allowed immediately, and then one connection per second`() {
        var pace = ConnectPace()
        func opened(_ tries: Int, at now: MonotonicTime) -> Int {
            (0..<tries).count { _ in pace.take(at: now) }
        }
        let start = MonotonicTime(nanoseconds: 7)
        let burst = Int(ConnectPace.burst)
        #expect(opened(100, at: start) == burst)
        #expect(opened(1, at: start.advanced(byMilliseconds: 999)) == 0)
        #expect(opened(2, at: start.advanced(bySeconds: 1)) == 1)
        #expect(opened(100, at: start.advanced(bySeconds: 3_600)) == burst)
    }
}

import PushTransport
import Testing

@Suite struct StreamAllowanceTests {
    @Test func `no stream is allowed before SETTINGS, and then the lowest of all limits applies`() {
        var allowance = StreamAllowance(most: 50, initial: nil)
        #expect(allowance.free(inFlight: 0) == 0)
        allowance.settings(maximumStreams: 20)
        #expect(allowance.free(inFlight: 0) == 20)
        #expect(allowance.free(inFlight: 20) == 0)
        allowance.settings(maximumStreams: .max)
        #expect(allowance.free(inFlight: 1) == 49)
        allowance.settings(maximumStreams: 5)
        #expect(allowance.free(inFlight: 20) == 0)
    }

    @Test
    func `one stream is allowed until the connection is widened, and later SETTINGS do not restore it`() {
        var allowance = StreamAllowance(most: 50, initial: 1)
        allowance.settings(maximumStreams: 20)
        #expect(allowance.free(inFlight: 0) == 1)
        #expect(allowance.free(inFlight: 1) == 0)
        allowance.widen()
        allowance.settings(maximumStreams: 10)
        #expect(allowance.free(inFlight: 1) == 9)
    }

    @Test func `when stream ids are used up, no stream is allowed`() {
        var allowance = StreamAllowance(most: 50, initial: nil, firstStreamID: Int64(Int32.max) - 2)
        allowance.settings(maximumStreams: 20)
        #expect(allowance.free(inFlight: 0) == 2)
        allowance.submitted(streamID: Int32.max - 2)
        #expect(allowance.free(inFlight: 0) == 1 && !allowance.isExhausted)
        allowance.submitted(streamID: Int32.max)
        #expect(allowance.free(inFlight: 0) == 0 && allowance.isExhausted)
    }

    @Test func `no stream is allowed after a GOAWAY, whatever else arrives`() {
        var allowance = StreamAllowance(most: 50, initial: nil)
        allowance.settings(maximumStreams: 20)
        allowance.stopAccepting()
        allowance.settings(maximumStreams: 30)
        allowance.widen()
        #expect(allowance.free(inFlight: 0) == 0)
    }
}

import PushModel
import Testing
import pushmta

struct MasterAbsenceTests {
    private static func time(_ seconds: Int64) -> MonotonicTime {
        MonotonicTime(nanoseconds: 0).advanced(bySeconds: seconds)
    }

    @Test func `an absence is reported when it begins, and is too long after the limit`() {
        var absence = MasterAbsence()
        let limit = MasterAbsence.maxSeconds
        #expect(absence.look(isRunning: true, at: Self.time(0)) == .nothingNew)
        #expect(absence.look(isRunning: false, at: Self.time(1)) == .begins)
        #expect(absence.look(isRunning: false, at: Self.time(limit)) == .nothingNew)
        #expect(absence.look(isRunning: false, at: Self.time(limit + 1)) == .tooLong)
    }

    @Test func `a restart of the master does not end the wait, and the next absence is counted from 0`() {
        var absence = MasterAbsence()
        let limit = MasterAbsence.maxSeconds
        #expect(absence.look(isRunning: false, at: Self.time(0)) == .begins)
        #expect(absence.look(isRunning: true, at: Self.time(limit - 1)) == .nothingNew)
        #expect(absence.look(isRunning: false, at: Self.time(limit)) == .begins)
        #expect(absence.look(isRunning: false, at: Self.time(2 * limit - 1)) == .nothingNew)
        #expect(absence.look(isRunning: false, at: Self.time(2 * limit)) == .tooLong)
    }
}

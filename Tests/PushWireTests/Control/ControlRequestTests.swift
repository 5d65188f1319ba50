import PushModel
import PushWire
import Testing

struct ControlRequestTests {
    @Test(arguments: [
        (ControlRequest.nudge, "nudge\n"), (.status, "status\n"),
        (.pauseChanged(DeliveryID(rawValue: 7)), "paused 7\n"),
        (.operation(mark: "1.2/8-77/ab", bytes: 300), "operation 1 1.2/8-77/ab 300\n"),
    ])
    func `a request is a line`(request: ControlRequest, text: String) {
        #expect(request.line == Array(text.utf8))
        #expect(ControlRequest(line: request.line.dropLast()) == request)
    }

    @Test(arguments: [
        "", "reboot", "status now", "nudge ", "operation", "operation 1", "operation 2 mark 300",
        "operation 1  300",
        "operation 1 mark 0", "operation 1 mark -1", "operation 1 mark x",
        "operation 1 mark 9999999999999999999999",
        "paused", "paused 0", "paused -7", "paused x", "paused 7 8", "operation 1 a b 300", "\u{0}\u{FF}",
    ])
    func `what this version does not know is no request`(line: String) {
        #expect(ControlRequest(line: Array(line.utf8)) == nil)
    }

    @Test(arguments: [
        (ControlAnswer.go, "go\n"), (.busy, "busy\n"), (.no(why: "not now"), "no not now\n"),
        (.answer(bytes: 0), "answer 0\n"), (.answer(bytes: 17), "answer 17\n"),
    ])
    func `an answer is a line`(answer: ControlAnswer, text: String) {
        #expect(answer.line == Array(text.utf8))
        #expect(ControlAnswer(line: answer.line.dropLast()) == answer)
    }

    @Test(arguments: ["", "yes", "go on", "answer", "answer -1", "answer x", "answer 999999999999"])
    func `what means nothing is no answer`(line: String) {
        #expect(ControlAnswer(line: Array(line.utf8)) == nil)
    }

    @Test func `why stays on its line`() {
        #expect(ControlAnswer.no(why: "a\nanswer 3\nabc").line.filter { $0 == UInt8(ascii: "\n") }.count == 1)
    }
}

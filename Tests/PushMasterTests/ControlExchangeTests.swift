import PushMaster
import PushModel
import PushWire
import Testing

struct ControlExchangeTests {
    private func orders(_ exchange: inout ControlExchange, _ text: String) -> [ControlExchange.Order] {
        exchange.take(Array(text.utf8))
        var orders: [ControlExchange.Order] = []
        while let order = exchange.next() { orders.append(order) }
        return orders
    }

    private func said(_ exchange: ControlExchange) -> String {
        String(decoding: exchange.unwritten, as: UTF8.self)
    }

    @Test func `a request may come byte by byte`() {
        var exchange = ControlExchange()
        for letter in "status" { #expect(orders(&exchange, String(letter)).isEmpty) }
        #expect(orders(&exchange, "\n") == [.status])
        #expect(!exchange.wantsToRead && !exchange.isOver)
        exchange.answer(Array("{}".utf8))
        #expect(!exchange.isOver)
        exchange.wrote(2)
        #expect(exchange.isOver)
    }

    @Test(arguments: [
        ("nudge\n", ControlExchange.Order.nudge), ("paused 7\n", .pauseChanged(DeliveryID(rawValue: 7))),
    ])
    func `news of the store are over at once`(line: String, order: ControlExchange.Order) {
        var exchange = ControlExchange()
        #expect(orders(&exchange, line) == [order])
        #expect(exchange.isOver)
    }

    @Test func `the end of the stream ends the line`() {
        var exchange = ControlExchange()
        exchange.take(Array("status".utf8))
        exchange.end()
        #expect(exchange.next() == .status)
    }

    @Test func `an operation is asked for, admitted, sent and answered`() {
        var exchange = ControlExchange()
        #expect(orders(&exchange, "operation 1 mark 5\n") == [.admit(mark: "mark")])
        exchange.admit()
        #expect(said(exchange) == "go\n")
        exchange.wrote(3)
        #expect(orders(&exchange, "12").isEmpty)
        #expect(orders(&exchange, "345678") == [.carryOut(Array("12345".utf8))])
        exchange.answer(ControlAnswer.answer(bytes: 2).line + Array("ok".utf8))
        #expect(said(exchange) == "answer 2\nok")
    }

    @Test func `an operation that ends in the middle is none`() {
        var exchange = ControlExchange()
        _ = orders(&exchange, "operation 1 mark 5\n")
        exchange.admit()
        exchange.wrote(3)
        exchange.take(Array("1234".utf8))
        exchange.end()
        #expect(exchange.next() == nil)
        #expect(exchange.isOver)
    }

    @Test(arguments: [
        "reboot\n", "\n", String(repeating: "x", count: 5_000), String(repeating: "x", count: 5_000) + "\n",
        "operation 1 mark 1048577\n", "operation 2 mark 5\n",
    ])
    func `what is not understood, or too long, is answered with no`(text: String) {
        var exchange = ControlExchange()
        #expect(orders(&exchange, text).isEmpty)
        #expect(said(exchange).hasPrefix("no "))
        #expect(!exchange.wantsToRead)
    }
}

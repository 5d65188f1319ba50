internal import PushModel

/// Foreign text for a message: in quotes, on one line, not longer than a line.
func quoted(_ text: some StringProtocol, limit: Int = 60) -> String { "\"\(text.printable(atMost: limit))\"" }

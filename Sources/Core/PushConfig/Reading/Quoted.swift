internal import PushModel

/// Returns foreign text for a finding: in quotes, on one line, and no longer than a line.
func quoted(_ text: some StringProtocol, limit: Int = 60) -> String { "\"\(text.printable(atMost: limit))\"" }

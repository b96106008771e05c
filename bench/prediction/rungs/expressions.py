"""The expressions of ladder files (docs/ladder-files.md), evaluated without warpwright."""
import math
import re

TOKEN = re.compile(r"\s*(?:(\d+\.?\d*(?:[eE][+-]?\d+)?)|([A-Za-z_]\w*)|(&&|\|\||<=|>=|==|!=|[-+*/^()<>?:,!]))")
FUNCTIONS = {
    "ceil_div": lambda a, b: math.ceil(a / b), "div": lambda a, b: math.floor(a / b), "mod": lambda a, b: a - b * math.floor(a / b),
    "round_up": lambda a, b: b * math.ceil(a / b), "next_pow2": lambda a: 1 if a <= 1 else 2 ** math.ceil(math.log2(a)),
    "floor": math.floor, "ceil": math.ceil, "min": min, "max": max, "log2": math.log2, "sqrt": math.sqrt,
}
LEVELS = [["||"], ["&&"], ["==", "!="], ["<", ">", "<=", ">="], ["+", "-"], ["*", "/"]]
BINARY = {
    "||": lambda a, b: float(bool(a) or bool(b)), "&&": lambda a, b: float(bool(a) and bool(b)),
    "==": lambda a, b: float(a == b), "!=": lambda a, b: float(a != b), "<": lambda a, b: float(a < b),
    ">": lambda a, b: float(a > b), "<=": lambda a, b: float(a <= b), ">=": lambda a, b: float(a >= b),
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": lambda a, b: a / b if b else math.inf,
}


def evaluate(text, variables):
    """Returns the value of an expression. An unknown name or a mistake raises ValueError, which names the expression."""
    tokens, end = [], 0
    text = str(text).rstrip()
    while end < len(text):
        found = TOKEN.match(text, end)
        if not found:
            raise ValueError(f"'{text}' has an unknown character at {end}")
        tokens.append(found.group().strip())
        end = found.end()
    reader = Reader(text, tokens, variables)
    value = reader.choice()
    if reader.tokens:
        raise ValueError(f"'{text}' goes on where it should end, at '{reader.tokens[0]}'")
    return value


class Reader:
    def __init__(self, text, tokens, variables):
        self.text, self.tokens, self.variables = text, tokens, variables

    def take(self, *words):
        if self.tokens and self.tokens[0] in words:
            return self.tokens.pop(0)
        return None

    def expect(self, word):
        if not self.take(word):
            raise ValueError(f"'{self.text}' lacks a '{word}'")

    def choice(self):
        condition = self.level(0)
        if not self.take("?"):
            return condition
        yes = self.choice()
        self.expect(":")
        no = self.choice()
        return yes if condition else no

    def level(self, number):
        if number == len(LEVELS):
            return self.sign()
        value = self.level(number + 1)
        while word := self.take(*LEVELS[number]):
            value = BINARY[word](value, self.level(number + 1))
        return value

    def sign(self):
        if self.take("-"):
            return -self.sign()
        value = self.atom()
        return value ** self.sign() if self.take("^") else value

    def atom(self):
        if self.take("("):
            value = self.choice()
            self.expect(")")
            return value
        if not self.tokens:
            raise ValueError(f"'{self.text}' ends too early")
        word = self.tokens.pop(0)
        if word[0].isdigit():
            return float(word)
        if word in FUNCTIONS and self.take("("):
            values = [self.choice()]
            while self.take(","):
                values.append(self.choice())
            self.expect(")")
            return FUNCTIONS[word](*values)
        if word not in self.variables:
            raise ValueError(f"'{self.text}': '{word}' is not known")
        return self.variables[word]

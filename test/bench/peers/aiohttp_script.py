"""The same script in Python: csv, aiohttp, cryptography. python3 aiohttp_script.py FILE URL PATH LANES"""

import asyncio
import csv
import json
import os
import sys

import aiohttp
from cryptography.hazmat.primitives import padding
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

file, url, path, lanes = sys.argv[1:5]
KEY = bytes.fromhex(os.environ["PAYDROP_AES_KEY"])
IV = bytes.fromhex(os.environ["PAYDROP_AES_IV"])
HEADERS = {"content-type": "application/json", "x-api-key": os.environ["PAYDROP_API_KEY"]}
NUMBERS = {"amount": float, "bene_bank_id": int, "tenure": int, "expiry": int}


def encrypted(payload):
    padder = padding.PKCS7(128).padder()
    encryptor = Cipher(algorithms.AES(KEY), modes.CBC(IV)).encryptor()
    return (encryptor.update(padder.update(payload) + padder.finalize()) + encryptor.finalize()).hex()


async def lane(session, rows, results):
    for row in rows:
        fields = {name: NUMBERS.get(name, str)(cell) for name, cell in row.items()}
        payload = json.dumps(fields, separators=(",", ":")).encode()
        body = json.dumps({"body": encrypted(payload)}).encode() if "payouts" in path else payload
        async with session.post(url + path, data=body, headers=HEADERS) as answer:
            results.append({**row, "status": answer.status, "response": await answer.text()})


async def main():
    results = []
    with open(file, newline="", encoding="utf-8") as source:
        rows = csv.DictReader(source)
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=int(lanes))) as session:
            await asyncio.gather(*(lane(session, rows, results) for _ in range(int(lanes))))
    with open(file + ".python.csv", "w", newline="", encoding="utf-8") as target:
        writer = csv.DictWriter(target, results[0].keys())
        writer.writeheader()
        writer.writerows(results)


asyncio.run(main())
